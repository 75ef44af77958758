// A lease belongs to the credential that claimed it: a worker's name alone is no proof.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { openLocked } from './auth-fixture.ts';
import type { Api } from './http-fixture.ts';

interface Verb {
  readonly what: string;
  readonly body?: object;
  /** Where it is not a POST of JSON. */
  readonly call?: (api: Api, url: string, held: Held) => ReturnType<Api['post']>;
}

interface Held {
  readonly workerId: string;
  readonly epoch: number;
}

const error = { class: 'TransientError', message: 'again' };
const nap = { name: 'nap', kind: 'time', delayMs: 60_000 };
const answer = { name: 'answer', kind: 'message', message: 'approve' };

const VERBS: readonly Verb[] = [
  { what: 'start' },
  { what: 'heartbeat', body: { progress: 5 } },
  { what: 'stages/plan', body: { result: 1 } },
  {
    what: 'artifacts/page',
    call: (api, url, { workerId, epoch }) =>
      api.call('PUT', `${url}/artifacts/page?workerId=${workerId}&epoch=${epoch}`, {
        body: 'content',
        headers: { 'content-type': 'text/plain' },
      }),
  },
  { what: 'children', body: { wait: 'parts', items: [{ key: 'a', type: 'export' }] } },
  { what: 'await', body: { waits: [nap] } },
  { what: 'suspend', body: { waits: ['nap'] } },
  { what: 'waits/parts/results' },
  { what: 'links', body: { name: 'approval' } },
  { what: 'complete', body: { result: 1 } },
  { what: 'fail', body: { error } },
  { what: 'snooze', body: { delayMs: 1_000 } },
  { what: 'release' },
  { what: 'cancelled' },
];

describe('[S5, R7] a lease is bound to the credential that claimed it', () => {
  let owner: Api;
  let other: Api;
  let admin: Api;

  before(async () => {
    const { holder } = await openLocked();
    ({ api: admin } = await holder({ roles: ['admin'] }));
    await admin.put('/v1/types/export', { lifecycle: 'task', calls: ['export'] });
    ({ api: owner } = await holder({ roles: ['worker'], name: 'one' }));
    ({ api: other } = await holder({ roles: ['worker'], name: 'other' }));
  });

  async function claimedBy(api: Api): Promise<{ url: string; held: Held }> {
    await admin.post('/v1/jobs', { type: 'export' });
    const asked = { workerId: 'w1', types: ['export'], max: 1 };
    const { body } = await api.post('/v1/claims', asked);
    const [{ job, epoch, lease }] = body.jobs;
    assert.equal(lease.owner, 'w1');
    return { url: `/v1/jobs/${job.id}`, held: { workerId: 'w1', epoch } };
  }

  function send(api: Api, verb: Verb, { url, held }: { url: string; held: Held }) {
    const { what, body = {}, call } = verb;
    return call?.(api, url, held) ?? api.post(`${url}/${what}`, { ...held, ...body });
  }

  for (const verb of VERBS) {
    test(`${verb.what} of another credential with the same workerId is LEASE_LOST`, async () => {
      const claimed = await claimedBy(owner);
      const { body: before } = await admin.get(claimed.url);
      const refused = await send(other, verb, claimed);
      assert.deepEqual([refused.status, refused.body.code], [409, 'LEASE_LOST']);
      assert.match(refused.body.detail, /"w1" with another credential/);
      assert.deepEqual((await admin.get(claimed.url)).body, before);
      const own = await send(owner, verb, claimed);
      assert.notEqual(own.body.code, 'LEASE_LOST', JSON.stringify(own.body));
    });
  }

  test('a message that a wait has taken is set aside by that credential only', async () => {
    const { url, held } = await claimedBy(owner);
    const { body: sent } = await admin.post(`${url}/messages`, { name: 'approve', payload: 1 });
    await owner.post(`${url}/await`, { ...held, waits: [answer] });
    const aside = { what: `messages/${sent.id}/aside`, body: { reason: 'not a yes' } };
    const refused = await send(other, aside, { url, held });
    assert.deepEqual([refused.status, refused.body.code], [409, 'LEASE_LOST']);
    assert.equal((await send(owner, aside, { url, held })).status, 200);
  });

  test('a report repeated by another credential is refused, by its own it is unchanged', async () => {
    const { url, held } = await claimedBy(owner);
    assert.equal((await owner.post(`${url}/complete`, { ...held, result: 7 })).status, 200);
    const foreign = await other.post(`${url}/complete`, { ...held, result: 7 });
    assert.deepEqual([foreign.status, foreign.body.code], [409, 'LEASE_LOST']);
    assert.equal((await owner.post(`${url}/complete`, { ...held, result: 7 })).status, 200);
  });

  test('a repeated claim gives its jobs to the same credential only', async () => {
    await admin.post('/v1/jobs', { type: 'index' });
    const asked = { workerId: 'w1', types: ['index'], max: 1, requestId: 'r-1' };
    const first = await owner.post('/v1/claims', asked);
    assert.deepEqual((await other.post('/v1/claims', asked)).body.jobs, []);
    const again = await owner.post('/v1/claims', asked);
    assert.equal(again.body.jobs[0].job.id, first.body.jobs[0].job.id);
  });

  test('artifacts of a running job are shown to the attempt of that credential only', async () => {
    const { url, held } = await claimedBy(owner);
    const query = `workerId=w1&epoch=${held.epoch}`;
    const bytes = { body: 'content', headers: { 'content-type': 'text/plain' } };
    assert.equal((await owner.call('PUT', `${url}/artifacts/page?${query}`, bytes)).status, 201);
    const seenBy = async (api: Api) =>
      (await api.get(`${url}/artifacts?${query}`)).body.items.length;
    assert.deepEqual([await seenBy(owner), await seenBy(other)], [1, 0]);
  });

  test('the credential is not shown: owners, actors and workers have their plain names', async () => {
    const { url } = await claimedBy(owner);
    const { body: job } = await admin.get(url);
    const { body: why } = await admin.get(`${url}/why`);
    const { body: log } = await admin.get(`${url}/events`);
    const { body: workers } = await admin.get('/v1/workers');
    assert.deepEqual([job.lease.owner, why.facts.owner], ['w1', 'w1']);
    assert.ok(log.items.some(({ actor }: { actor: string }) => actor === 'worker:w1'));
    assert.equal((await admin.get('/v1/workers/w1')).status, 200);
    assert.doesNotMatch(JSON.stringify([job, why, log, workers.items]), /@key:/);
  });
});
