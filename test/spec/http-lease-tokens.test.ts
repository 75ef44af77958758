// The token of a claim: shown by every write of an owner, checked where it is shown.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { ApiClient, RemoteSource } from 'pawl/client';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { realStores } from '../support/real-stores.ts';
import { type Answer, type Api, openApi } from './http-fixture.ts';

interface Held {
  readonly workerId: string;
  readonly epoch: number;
  readonly token?: string | undefined;
}

type Verb = (api: Api, url: string, held: Held) => Promise<Answer>;

function post(path: string, more: object = {}): Verb {
  return (api, url, held) => api.post(`${url}/${path}`, { ...held, ...more });
}

const SLEEP = { name: 'nap', kind: 'time', delayMs: 1_000 };
const ERROR = { class: 'TransientError', message: 'no' };

const VERBS: Readonly<Record<string, Verb>> = {
  start: post('start'),
  heartbeat: post('heartbeat', { progress: 1 }),
  stage: post('stages/plan', { result: 1 }),
  children: post('children', { wait: 'parts', items: [{ key: 'a', type: 'export' }] }),
  await: post('await', { waits: [SLEEP] }),
  artifact: (api, url, { workerId, epoch, token }) => {
    const shown = token === undefined ? '' : `&token=${encodeURIComponent(token)}`;
    return api.call('PUT', `${url}/artifacts/a?workerId=${workerId}&epoch=${epoch}${shown}`, {
      body: Buffer.from('bytes'),
      headers: { 'content-type': 'text/plain' },
    });
  },
  complete: post('complete', { result: 1 }),
  fail: post('fail', { error: ERROR }),
  snooze: post('snooze', { delayMs: 1_000 }),
  release: post('release'),
};

async function claimed(api: Api): Promise<{ url: string; held: Held }> {
  const { body: job } = await api.post('/v1/jobs', { type: 'export' });
  const claim = { workerId: 'w1', types: ['export'], max: 100 };
  const { body } = await api.post('/v1/claims', claim);
  const { epoch, token } = body.jobs.find((one: { job: { id: string } }) => one.job.id === job.id);
  assert.equal(typeof token, 'string');
  return { url: `/v1/jobs/${job.id}`, held: { workerId: 'w1', epoch, token } };
}

for (const { label, open } of await realStores()) {
  describe(`the token of a claim on ${label}`, async () => {
    const api = await openApi({ world: { store: open } });
    after(() => api.close());

    for (const [name, verb] of Object.entries(VERBS)) {
      test(`[R7] ${name} needs no token, but one that is shown must be that of the claim`, async () => {
        const { url, held } = await claimed(api);
        for (const token of ['another', '1', `${held.token}0`]) {
          const refused = await verb(api, url, { ...held, token });
          assert.deepEqual([refused.status, refused.body.code], [409, 'LEASE_LOST'], token);
        }
        assert.ok((await verb(api, url, held)).status < 300);
        const { url: other, held: silent } = await claimed(api);
        assert.ok((await verb(api, other, { ...silent, token: undefined })).status < 300);
      });
    }
  });
}

describe('a server that requires tokens', async () => {
  const api = await openApi({ server: () => ({ requiresLeaseTokens: true }) });
  after(() => api.close());

  for (const [name, verb] of Object.entries(VERBS)) {
    test(`[R7] ${name} without the token of the claim is refused`, async () => {
      const { url, held } = await claimed(api);
      const refused = await verb(api, url, { ...held, token: undefined });
      assert.deepEqual([refused.status, refused.body.code], [400, 'VALIDATION_ERROR']);
      assert.equal(refused.body.errors[0].pointer, '/token');
      assert.ok((await verb(api, url, held)).status < 300);
    });
  }

  test('[R7] a remote worker of the library shows it by itself', async () => {
    const url = await api.app.listen({ port: 0, host: '127.0.0.1' });
    const source = new RemoteSource({ connection: new ApiClient({ url }).connection });
    await api.post('/v1/jobs', { type: 'export' });
    const [claim] = await source.claim({ owner: 'w2', types: ['export'], max: 1 });
    const { job, token } = claim!;
    const held = { ref: job, owner: 'w2', epoch: job.epoch, token };
    const [beat] = await source.renew([{ ...held, progress: 5 }]);
    assert.equal(beat!.kind, 'renewed');
    const [end] = await source.settle([{ ...held, ending: { kind: 'succeed' } }]);
    assert.equal(end!.kind, 'moved');
  });

  test('the setting takes optional and required, and nothing else', () => {
    const read = (value?: string) =>
      readConfiguration(value === undefined ? {} : { PAWL_LEASE_TOKENS: value }).access
        .requiresLeaseTokens;
    assert.deepEqual([read(), read('optional'), read('required')], [false, false, true]);
    assert.throws(() => read('yes'), /PAWL_LEASE_TOKENS is "yes": give optional or required/);
  });
});
