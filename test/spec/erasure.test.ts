// Erasure on request: what a job was given, said and made is nowhere any more; what happened stays.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test, type TestContext } from 'node:test';
import { checkHistory } from 'pawl/internal/check/check-history';
import { PawlError } from 'pawl/internal/core/errors';
import type { Job } from 'pawl/internal/core/job';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { MemoryStore } from 'pawl/internal/store/memory/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { readAll } from '../simulation/read-all.ts';
import {
  type ArtifactWorld,
  contentOf,
  openArtifactWorld,
  textArtifact,
} from '../support/artifact/artifact-world.ts';
import { searchableStores } from '../support/blind/stored-text.ts';
import { holdingOf, type OpenStore, TENANT, type World } from '../support/world.ts';

const DAY = 86_400_000;
const SECRET = 'Ann';
const folder = mkdtempSync(join(tmpdir(), 'pawl-erasure-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Place {
  readonly open: OpenStore;
  readonly storedText: () => Promise<string>;
}

let files = 0;

/** Every row of every table: its pages are overwritten by and by only. */
async function inFile(): Promise<Place> {
  const path = join(folder, `pawl-${++files}.db`);
  const storedText = async (): Promise<string> => {
    const db = new DatabaseSync(path, { readOnly: true });
    const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
    const rows = tables.flatMap(({ name }) => db.prepare(`SELECT * FROM "${String(name)}"`).all());
    db.close();
    return JSON.stringify(rows);
  };
  return { open: (ports) => openSqliteStore({ ...ports, path }), storedText };
}

const places: readonly (readonly [string, () => Promise<Place>])[] = [
  [
    'memory',
    async () => ({ open: async (ports) => new MemoryStore(ports), storedText: async () => '' }),
  ],
  ['sqlite', inFile],
  ...(await searchableStores())
    .filter(({ label }) => label.startsWith('postgres'))
    .map(({ label, make }) => [label, make] as const),
];

async function openAccess(context: TestContext, place: Place): Promise<ArtifactWorld> {
  const types = { visit: { lifecycle: 'distributed' } };
  return openArtifactWorld(context, { store: place.open, types });
}

/** Works on the one job there is, says its secret wherever something can be said, and fails. */
async function failAloud({ world, access }: ArtifactWorld): Promise<Job> {
  const claim = await world.claimOne('w1', 'visit');
  await world.start(claim);
  await world.renew(claim, {
    message: `calls ${SECRET}`,
    checkpoint: `"${SECRET}"`,
    stageResult: { name: 'look up', result: `"${SECRET}"` },
    notes: [{ type: 'job_log', message: `${SECRET} is out`, payload: { who: SECRET } }],
  });
  await access.put(holdingOf(claim), textArtifact(`${SECRET}.txt`, contentOf(`dear ${SECRET}`)));
  const error = { class: 'timeout', message: `no word of ${SECRET}`, details: { who: SECRET } };
  return world.settle(claim, { kind: 'fail', error, deadLetter: 'timeout' });
}

function enqueue(world: World): Promise<Job> {
  return world.enqueue('visit', { name: SECRET }, { metadata: { customer: SECRET } });
}

async function replayOf(world: World, job: Job): Promise<Job> {
  const letters = await world.engine.deadLetters({ tenant: TENANT, limit: 100 });
  const letter = letters.find(({ jobId }) => jobId === job.id)!;
  const caller = { tenant: TENANT, principal: 'tester' };
  return (await world.engine.replay({ deadLetterId: letter.id, caller })).job;
}

async function everythingSaid({ world, onDisk }: ArtifactWorld, place: Place): Promise<string> {
  const left = await readAll(world.store, [TENANT]);
  const stages = await Promise.all(left.jobs.map((job) => world.store.stages(job)));
  const artifacts = await Promise.all(
    left.jobs.map((job) => world.context.records.artifacts.ofJob(job)),
  );
  return JSON.stringify([left, stages, artifacts, onDisk(), await place.storedText()]);
}

async function happened(world: World, job: Job): Promise<string[]> {
  return (await world.events(job, { notes: true })).map(
    ({ type, version }) => `${version} ${type}`,
  );
}

async function refusalOf(world: World, job: Job): Promise<PawlError> {
  const answer = await world.engine.erase(job, 'api:clerk').catch((error: unknown) => error);
  assert.ok(answer instanceof PawlError, 'it was erased');
  return answer;
}

for (const [label, make] of places) {
  void describe(label, () => {
    void test('what a job said is nowhere any more, nor with its children', async (context) => {
      const place = await make();
      const access = await openAccess(context, place);
      const { world } = access;
      const parent = await enqueue(world);
      await failAloud(access);
      const child = await replayOf(world, parent);
      await failAloud(access);
      const grandchild = await replayOf(world, child);
      await world.complete(await startNext(world), { found: SECRET });
      const family = [parent, child, grandchild];
      const before = await Promise.all(family.map((job) => happened(world, job)));
      assert.ok((await everythingSaid(access, place)).includes(SECRET));

      await world.engine.erase(parent, 'api:clerk');
      world.advance(DAY);
      access.age(DAY);
      await access.sweep.runOnce();
      assert.equal((await everythingSaid(access, place)).includes(SECRET), false);
      for (const [index, job] of family.entries()) {
        const history = await happened(world, job);
        assert.deepEqual(history.slice(0, -1), before[index]);
        assert.match(history.at(-1)!, /job_erased$/);
      }
      const left = await readAll(world.store, [TENANT]);
      assert.deepEqual(checkHistory({ lifecycles, ...left }), []);
      const again = await world.engine.erase(parent, 'api:clerk');
      assert.deepEqual(again, await world.job(parent));
    });

    void test('nothing is erased while a job made from it is still under way', async (context) => {
      const place = await make();
      const access = await openAccess(context, place);
      const { world } = access;
      const parent = await enqueue(world);
      await failAloud(access);
      const child = await replayOf(world, parent);
      const before = await readAll(world.store, [TENANT]);
      const { code, message } = await refusalOf(world, parent);
      assert.deepEqual([code, message.includes(child.id)], ['NOT_FINISHED', true]);
      assert.deepEqual(await readAll(world.store, [TENANT]), before);
      await world.cancel(child);
      await world.engine.erase(parent, 'api:clerk');
    });

    void test('of a job that retention has taken, what others kept is erased', async (context) => {
      const place = await make();
      const access = await openAccess(context, place);
      const { world } = access;
      const parent = await enqueue(world);
      await failAloud(access);
      world.advance(40 * DAY);
      const child = await replayOf(world, parent);
      await world.complete(await startNext(world), { found: SECRET });
      while ((await world.engine.sweepRetention()).hasMore);
      assert.deepEqual(await world.store.read([parent]), [null]);
      assert.match((await refusalOf(world, parent)).message, /was gone already; what others had/);
      const letters = await world.engine.deadLetters({ tenant: TENANT, limit: 10 });
      assert.equal(JSON.stringify([letters, await world.job(child)]).includes(SECRET), false);
    });
  });
}

async function startNext(world: World): Promise<Awaited<ReturnType<World['claimOne']>>> {
  const claim = await world.claimOne('w2', 'visit');
  await world.start(claim);
  return claim;
}
