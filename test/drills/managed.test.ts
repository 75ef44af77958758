// How managed PostgreSQL ends: connections are dropped, and writes refused for a while.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineJob, typed } from 'pawl/define';
import { partsOf } from 'pawl/internal/pawl/parts';
import { eventually } from '../support/eventually.ts';
import { serve, type Served } from '../support/served-pawl.ts';
import { ask } from './life.ts';
import { DATABASE, installations, platformServer } from './servers.ts';

const installation = installations.at(-1)!;
const label = `postgres ${installation.major}`;

const begun = Promise.withResolvers<void>();
const goOn = Promise.withResolvers<void>();

const held = defineJob('held', {
  lease: { ttl: '10m', heartbeat: '1s' },
  run: async () => {
    begun.resolve();
    await goOn.promise;
    return 'done';
  },
});
const quick = defineJob('quick', { input: typed<{ n: number }>(), run: ({ input }) => input.n });

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly id: string | undefined;
}

/** Asks once, with a key by which it can be asked again. */
async function enqueueOnce({ url }: Served, n: number): Promise<Answer> {
  const answer = await fetch(`${url}/v1/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': `k${n}` },
    body: JSON.stringify({ type: 'quick', input: { n } }),
  });
  const { code, id } = (await answer.json()) as { code?: string; id?: string };
  return { status: answer.status, code, id };
}

async function statusOf({ url }: Served, path: string): Promise<number> {
  const answer = await fetch(url + path);
  await answer.arrayBuffer();
  return answer.status;
}

test(`a platform outlives dropped connections and a while without writes, with its running job (${label})`, async (context) => {
  const server = await platformServer(context, installation);
  const served = await serve(server.platform, [held, quick]);
  context.after(() => served.close());
  const running = await served.client.enqueue(held);
  await begun.promise;
  const set = async (isReadOnly: boolean): Promise<void> => {
    const value = isReadOnly ? 'on' : 'off';
    await ask(server.url, `ALTER SYSTEM SET default_transaction_read_only = ${value}`);
    await ask(server.url, 'SELECT pg_reload_conf()');
  };
  // As before an update: no writes, and then every session is ended.
  await set(true);
  const refused = await eventually('writes are refused', async () => {
    const answer = await enqueueOnce(served, 1);
    return answer.status === 503 ? answer : null;
  });
  assert.equal(refused.code, 'STORE_NOT_WRITABLE');
  await eventually('it is not ready', async () => (await statusOf(served, '/readyz')) === 503);
  assert.equal(await statusOf(served, '/livez'), 200, 'there is nothing to restart it for');
  assert.equal(await statusOf(served, '/v1/jobs'), 200, 'what is there can be read');
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = '${DATABASE}'`;
  await ask(server.url, end);
  const during = await enqueueOnce(served, 2);
  const told = ['STORE_NOT_WRITABLE', 'STORE_UNAVAILABLE', 'OUTCOME_UNKNOWN'];
  assert.ok(told.includes(during.code ?? ''), JSON.stringify(during));
  await set(false);
  await ask(server.url, end);
  await eventually('it is ready again', async () => (await statusOf(served, '/readyz')) === 200);
  const ids = new Set<string>();
  for (const n of [1, 2]) {
    for (let times = 0; times < 2; times++) {
      const { id } = await eventually('the same request is taken', async () => {
        const answer = await enqueueOnce(served, n);
        return answer.status < 300 ? answer : null;
      });
      ids.add(id!);
    }
  }
  assert.equal(ids.size, 2, 'each was made once, whatever was answered before');
  goOn.resolve();
  assert.equal(await running.result(), 'done');
  const { store } = partsOf(served.pawl).context;
  const [job] = await store.read([{ tenant: 'default', id: running.id }]);
  assert.deepEqual([job!.epoch, job!.attempts], [1, 1], 'no attempt was spent on the outage');
});
