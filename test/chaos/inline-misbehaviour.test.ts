// An inline handler cannot be stopped, and can take its worker along (though not by an error that
// nobody catches: see test/spec/uncaught.test.ts). What holds all the same: its
// job and its neighbours go to another worker, and a job that harms every worker ends in the
// dead-letter queue. Real processes on a real PostgreSQL, one queue a row.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { type InnerPawl, openInner } from '../support/inner-pawl.ts';
import type { Job } from '../../src/core/job.ts';
import { isTerminal } from '../../src/core/phase.ts';
import { badInline, neighbour } from '../fixtures/handlers/chaos.ts';
import { type Deed, signsOfLife } from '../fixtures/handlers/misbehaving.ts';
import { eventually } from '../support/eventually.ts';
import { jobWhen } from '../support/job-when.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { startWorkerProcess, type WorkerProcess } from './fleet.ts';

/** How a process ends by itself: its exit code or signal; or it hangs, and must be ended. */
type Fate = number | NodeJS.Signals | 'hangs';

interface Row {
  readonly deed: Deed;
  readonly fate: Fate;
}

const TABLE: readonly Row[] = [
  { deed: 'computes for ever', fate: 'hangs' },
  { deed: 'exits', fate: 3 },
  { deed: 'eats memory', fate: 'SIGABRT' },
  { deed: 'aborts', fate: 'SIGABRT' },
];

let database: FreshDatabase;
let pawl: InnerPawl;
const fleet: WorkerProcess[] = [];
let names = 0;

before(async () => {
  const [server] = await postgresServers();
  database = await freshDatabase(server!);
  pawl = await openInner({ database: database.url, jobs: [badInline, neighbour] });
});

after(async () => {
  await Promise.all(fleet.map(end));
  await pawl.close();
  await database.drop();
});

async function startWorker(queue: string): Promise<{ name: string; process: WorkerProcess }> {
  const name = `worker-${++names}`;
  const process = await startWorkerProcess(database.url, name, `--queue=${queue}`);
  fleet.push(process);
  return { name, process };
}

async function end(worker: WorkerProcess): Promise<void> {
  worker.signal('SIGKILL');
  await worker.exited;
}

/** One more worker for the job: what becomes of it, or null if the job ends before that. */
async function sacrifice(queue: string, bad: Job): Promise<Fate | null> {
  const { name, process } = await startWorker(queue);
  const exited = process.exited.then(({ code, signal }) => signal ?? code!);
  let isMine = false;
  const lost = eventually(`${name} or the job has ended`, async () => {
    const { owner, phase } = await pawl.engine.job(bad);
    if (isTerminal(phase)) return true;
    const wasMine = isMine;
    isMine ||= owner === name;
    return wasMine && owner !== name;
  });
  const fate = await Promise.race([exited, lost.then(() => (isMine ? ('hangs' as const) : null))]);
  await end(process);
  return fate;
}

describe('an inline handler', { concurrency: 2 }, () => {
  for (const [index, { deed, fate }] of TABLE.entries()) {
    test(`[P2, P8, T31] that ${deed}: others go on elsewhere, and it ends as well`, async () => {
      const queue = `row-${index}`;
      const { process: first } = await startWorker(queue);
      const beside = await pawl.enqueue(neighbour, { queue });
      await first.said('neighbour begun');
      const bad = await pawl.enqueue(badInline, deed, { queue });
      await first.said(`begun: ${deed}`);
      if (fate === 'hangs') {
        await jobWhen(pawl.engine, bad, ({ attempts }) => attempts > 1);
        await end(first);
      } else {
        const { code, signal } = await first.exited;
        assert.equal(signal ?? code, fate);
      }
      // As a supervisor does: for a worker that is lost there is another.
      while (!isTerminal((await pawl.engine.job(bad)).phase)) {
        const seen = await sacrifice(queue, bad);
        // One that is busy with its last bytes of memory has lost its lease before it ends.
        assert.ok([null, fate, 'hangs'].includes(seen), `it came to its end by ${seen}`);
      }
      const ended = await pawl.engine.job(bad);
      const letters = await pawl.engine.deadLetters({ tenant: bad.tenant, limit: 100 });
      const reason = letters.find(({ jobId }) => jobId === bad.id)?.reasonCode;
      assert.deepEqual(
        [ended.state, ended.error?.class, reason],
        ['failed', 'worker_lost', 'exhausted_retries'],
      );
      const { process: last } = await startWorker(queue);
      assert.equal(
        (await pawl.ended(beside)).state,
        'succeeded',
        'its neighbour is done by others',
      );
      await end(last);
      rmSync(signsOfLife(bad.id), { force: true });
    });
  }
});
