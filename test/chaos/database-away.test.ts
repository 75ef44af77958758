// Who waits for a job goes on waiting while PostgreSQL is shut down, and hears of the end after it
// is back.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { defineJob, type JobHandle, openPawl, type Pawl, typed } from 'pawl';
import { eventually } from '../support/eventually.ts';
import { type Cluster, startCluster } from '../support/postgres/cluster.ts';
import { findInstallations } from '../support/postgres/installations.ts';

const begun = Promise.withResolvers<void>();
const goOn = Promise.withResolvers<void>();
const slow = defineJob('slow', {
  lease: { ttl: '60s', heartbeat: '20s' },
  run: async () => {
    begun.resolve();
    await goOn.promise;
    return 'through';
  },
});
const quick = defineJob('quick', {
  input: typed<{ n: number }>(),
  run: ({ input }) => input.n,
});
const jobs = [slow, quick];

// With a server from elsewhere there may be nothing on this machine to start.
const installation = findInstallations().at(-1);

describe('while the database is away', { skip: installation === undefined }, () => {
  let cluster: Cluster;
  let worker: Pawl;
  let waiter: Pawl;
  before(async () => {
    cluster = await startCluster(installation!.binFolder);
    const open = (): Promise<Pawl> => openPawl({ database: cluster.url, jobs, log: false });
    worker = await open();
    waiter = await open();
  });
  after(async () => {
    await Promise.all([waiter, worker].map((pawl) => pawl.close({ timeout: 1 })));
    await cluster.stop();
  });

  async function typesUntilEnd(job: JobHandle): Promise<string[]> {
    const types: string[] = [];
    for await (const { type } of job.events()) types.push(type);
    return types;
  }

  test('those who wait for jobs go on, and hear of what has ended since', async () => {
    worker.work();
    const running = await waiter.enqueue(slow);
    const later = await waiter.enqueue(quick, { n: 7 }, { queue: 'later', delay: '1s' });
    await begun.promise;
    const waits = [running.result(), later.ended(), typesUntilEnd(running)] as const;
    await cluster.halt();

    await assert.rejects(waiter.enqueue(quick, { n: 1 }), /connection to the database failed/);
    const reason = new Error('the caller left');
    const stop = new AbortController();
    const left = running.result({ signal: stop.signal });
    stop.abort(reason);
    await assert.rejects(left, reason);
    await assert.rejects(running.result({ timeout: 300 }), { name: 'WaitTimeout' });

    await cluster.resume();
    goOn.resolve();
    const [result, ended, types] = await Promise.all(waits);
    assert.deepEqual([result, ended.result], ['through', 7]);
    assert.equal(types.at(-1), 'job_succeeded');
    const next = await eventually('jobs can be enqueued again', () =>
      waiter.enqueue(quick, { n: 2 }).catch(() => null),
    );
    assert.equal(await next.result(), 2);
  });
});
