// Who sees the artifacts of a job, and when: over every route.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { ApiClient, RemoteArtifacts, RemoteSource } from 'pawl/client';
import { largeSink, largeSource } from 'pawl/internal/engine/by-reference';
import type { Claim } from 'pawl/internal/engine/claim';
import { artifactJson } from '@pawl/server/internal/http/artifact-view';
import type { Artifact } from 'pawl/internal/records/artifacts';
import { openWorker } from 'pawl/internal/worker/open-worker';
import { type ArtifactApi, openArtifactApi } from '../support/artifact/artifact-api.ts';
import { jobThat } from '../support/workshop.ts';
import type { World } from '../support/world.ts';

const TYPE = { lifecycle: 'task', previews: ['page-*.png'] } as const;

interface Put {
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

interface Fixture extends ArtifactApi {
  readonly claim: Claim;
  put(name: string, claim?: Claim): Promise<Put>;
  /** What everybody gets: the names of the list, and the codes of link and download. */
  seen(put: Put, link: string): Promise<{ names: string[]; link: number; download: number }>;
}

function holderOf({ job }: Claim): string {
  return `workerId=${job.owner}&epoch=${job.epoch}`;
}

async function openFixture(context: TestContext): Promise<Fixture> {
  const api = await openArtifactApi(context);
  await api.world.putType('export', TYPE, 'default');
  const claim = await api.claimOne();
  const { app } = api;
  return {
    ...api,
    claim,
    put: async (name, by = claim) => {
      const url = `/v1/jobs/${by.job.id}/artifacts/${name}?${holderOf(by)}`;
      const answer = await app.inject({ method: 'PUT', url, body: `bytes of ${name}` });
      assert.equal(answer.statusCode, 201, answer.body);
      return answer.json<Put>();
    },
    seen: async ({ id }, link) => {
      const list = await app.inject(`/v1/jobs/${claim.job.id}/artifacts`);
      return {
        names: list.json<{ items: Put[] }>().items.map(({ name }) => name),
        link: (await app.inject(`/v1/artifacts/${id}/link`)).statusCode,
        download: (await app.inject(link)).statusCode,
      };
    },
  };
}

/** A link as everybody gets it, by whatever way it was leaked before it was good. */
async function leaked({ services, world }: Fixture, { id }: Put): Promise<string> {
  const { artifacts } = world.context.records;
  const artifact = await artifacts.find({ tenant: 'default', id });
  return artifactJson(services, artifact!).url;
}

const NOTHING = { names: [], link: 404, download: 404 };

describe('an output of a job', () => {
  test('[T8, R36, T24] is seen by nobody else before the job has succeeded, and by all after', async (context) => {
    const fixture = await openFixture(context);
    const put = await fixture.put('deck.pdf');
    const link = await leaked(fixture, put);
    assert.deepEqual(await fixture.seen(put, link), NOTHING);
    await fixture.world.complete(fixture.claim);
    assert.deepEqual(await fixture.seen(put, link), {
      names: ['deck.pdf'],
      link: 200,
      download: 200,
    });
    const result = await fixture.app.inject(`/v1/jobs/${fixture.claim.job.id}/result`);
    assert.match(String(result.headers['link']), /deck\.pdf/);
  });

  test('[R36] is named in a header that clients take, however many a job has', async (context) => {
    const fixture = await openFixture(context);
    for (let page = 1; page <= 40; page++) await fixture.put(`page-${page}.png`);
    await fixture.world.complete(fixture.claim);
    const path = `/v1/jobs/${fixture.claim.job.id}`;
    const { headers } = await fixture.app.inject(`${path}/result`);
    const links = String(headers['link']).split(', ');
    assert.ok(String(headers['link']).length < 8_000, `${String(headers['link']).length}`);
    assert.match(links[0]!, /page-1\.png/);
    assert.equal(links.at(-1), `<${path}/artifacts>; rel="collection"`);
  });

  const ends: Record<string, (world: World, claim: Claim) => Promise<unknown>> = {
    'a hard cancel': (world, { job }) => world.cancel(job, 'hard'),
    'a soft cancel that was honoured': async (world, claim) => {
      await world.cancel(claim.job, 'soft');
      await world.settle(claim, { kind: 'cancelled' });
    },
    'a failure': (world, claim) => world.fail(claim, 'internal_bug'),
  };
  for (const [how, end] of Object.entries(ends)) {
    test(`[T8, R14] is gone for everybody from the commit of ${how} on, and its bytes go`, async (context) => {
      const fixture = await openFixture(context);
      const [put, page] = [await fixture.put('deck.pdf'), await fixture.put('page-1.png')];
      const links = [await leaked(fixture, put), await leaked(fixture, page), put.url, page.url];
      assert.equal((await fixture.app.inject(links[1]!)).statusCode, 200, 'a preview');
      await end(fixture.world, fixture.claim);
      for (const link of links) assert.deepEqual(await fixture.seen(put, link), NOTHING);
      assert.deepEqual(await fixture.seen(page, links[1]!), NOTHING);
      const own = `/v1/jobs/${fixture.claim.job.id}/artifacts?${holderOf(fixture.claim)}`;
      assert.deepEqual((await fixture.app.inject(own)).json<{ items: Put[] }>().items, []);
      await fixture.sweep.runOnce();
      assert.deepEqual(fixture.onDisk(), []);
    });
  }

  test('[T8] that its type declares a preview is seen while the job runs, and in no cache', async (context) => {
    const fixture = await openFixture(context);
    await fixture.put('deck.pdf');
    const page = await fixture.put('page-1.png');
    const link = await leaked(fixture, page);
    assert.deepEqual(await fixture.seen(page, link), {
      names: ['page-1.png'],
      link: 200,
      download: 200,
    });
    const { headers } = await fixture.app.inject(link);
    assert.equal(headers['cache-control'], 'private, no-store');
    await fixture.world.complete(fixture.claim);
    const after = await fixture.app.inject(link);
    assert.match(String(after.headers['cache-control']), /immutable/);
  });

  test('[P4, R36] is there for the next attempt after a loss, and for that attempt alone', async (context) => {
    const fixture = await openFixture(context);
    const put = await fixture.put('deck.pdf');
    const { app, world, claim } = fixture;
    assert.equal((await app.inject(put.url)).body, 'bytes of deck.pdf', 'its own link');
    world.advance(600_000);
    await world.sweep();
    await fixture.sweep.runOnce();
    const next = await world.claimOne('w2', 'export');
    assert.equal(next.job.id, claim.job.id);
    assert.equal((await app.inject(put.url)).statusCode, 404, 'the link of the lost attempt');
    const own = `/v1/jobs/${claim.job.id}/artifacts?${holderOf(next)}`;
    const [item] = (await app.inject(own)).json<{ items: Put[] }>().items;
    assert.equal((await app.inject(item!.url)).body, 'bytes of deck.pdf');
    const asked = `/v1/artifacts/${put.id}/link?jobId=${claim.job.id}`;
    const named = await app.inject(`${asked}&${holderOf(next)}`);
    assert.equal((await app.inject(named.json<Put>().url)).statusCode, 200);
    for (const stranger of [holderOf(claim), 'workerId=w2&epoch=99', 'workerId=w3&epoch=2']) {
      assert.equal((await app.inject(`${asked}&${stranger}`)).statusCode, 404, stranger);
    }
    assert.deepEqual(await fixture.seen(put, await leaked(fixture, put)), NOTHING);
  });

  test('[R36] cannot be read by naming it as the input of another job', async (context) => {
    const fixture = await openFixture(context);
    const put = await fixture.put('secret.json');
    const asked = { type: 'export', input: { $artifact: put.id } };
    const { id } = (
      await fixture.app.inject({ method: 'POST', url: '/v1/jobs', payload: asked })
    ).json<{ id: string }>();
    const input = await fixture.app.inject(`/v1/jobs/${id}/input`);
    assert.deepEqual([input.json(), input.headers['link']], [asked.input, undefined]);
  });
});

test('names that begin with $ are the platform’s own, wherever they are given', async (context) => {
  const fixture = await openFixture(context);
  const upload = await fixture.app.inject({
    method: 'POST',
    url: '/v1/artifacts?name=%24input',
    body: 'x',
  });
  assert.equal(upload.statusCode, 400);
  const url = `/v1/jobs/${fixture.claim.job.id}/artifacts/%24other?${holderOf(fixture.claim)}`;
  assert.equal((await fixture.app.inject({ method: 'PUT', url, body: 'x' })).statusCode, 400);
  await assert.rejects(
    fixture.world.putType('export', { ...TYPE, previews: ['$*'] }, 'default'),
    /previews\/0/,
  );
});

describe('a value that is too large for the database', () => {
  const large = { text: 'PLAIN '.repeat(60_000) };

  test('[T27, R36] goes in and out whole over HTTP, and is on no route for artifacts', async (context) => {
    const fixture = await openFixture(context);
    const { app, world, access } = fixture;
    await world.complete(fixture.claim);
    const { engine } = world;
    const caller = { tenant: 'default', principal: null };
    const [made] = await largeSink(engine, access).enqueue([{ type: 'export', input: large }], {
      caller,
    });
    assert.ok(made!.kind === 'created');
    const { id } = made!.job;
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const { connection } = new ApiClient({ url });
    const artifacts = new RemoteArtifacts({ connection });
    const source = largeSource(new RemoteSource({ connection }), artifacts);
    const seen: unknown[] = [];
    const job = jobThat(({ input }) => (seen.push(input), input), { type: 'export' });
    const worker = openWorker({ source, artifacts, jobs: [job], id: 'far' });
    await worker.poll();
    const values = await valuesOf(world, id);
    assert.deepEqual(
      values.map(({ name }) => name),
      ['$input'],
    );
    assert.deepEqual((await app.inject(`/v1/jobs/${id}/input`)).json(), large);
    await worker.idle();
    assert.deepEqual(seen, [large]);
    assert.deepEqual((await app.inject(`/v1/jobs/${id}/result`)).json(), large);
    const all = await valuesOf(world, id);
    assert.deepEqual(all.map(({ name }) => name).toSorted(), ['$input', '$result']);
    for (const value of all) {
      assert.equal((await app.inject(`/v1/artifacts/${value.id}/link`)).statusCode, 404);
      assert.equal((await app.inject(artifactJson(fixture.services, value).url)).statusCode, 404);
    }
    assert.deepEqual((await app.inject(`/v1/jobs/${id}/artifacts`)).json().items, []);
    const { headers } = await app.inject(`/v1/jobs/${id}/result`);
    assert.equal(headers['link'], undefined);
  });

  test('[R36] of one job is not given out as the result of another', async (context) => {
    const fixture = await openFixture(context);
    const other = await fixture.claimOne();
    const url = `/v1/jobs/${other.job.id}/artifacts/%24result?${holderOf(other)}`;
    const { id } = (await fixture.app.inject({ method: 'PUT', url, body: '"secret"' })).json<Put>();
    await fixture.world.complete(fixture.claim, { $artifact: id });
    const result = await fixture.app.inject(`/v1/jobs/${fixture.claim.job.id}/result`);
    assert.deepEqual(result.json(), { $artifact: id });
  });
});

/** Everything that is kept for a job, whoever may see it. */
async function valuesOf({ context }: World, id: string): Promise<readonly Artifact[]> {
  const { artifacts } = context.records;
  const ref = { tenant: 'default', id };
  const input = await artifacts.find(ref);
  return [...(await artifacts.ofJob(ref)), ...(input === null ? [] : [input])];
}
