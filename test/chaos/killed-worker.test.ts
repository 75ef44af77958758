// Workers that are killed, stopped, poisoned and asked to leave, on a real PostgreSQL.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { type InnerPawl, openInner } from '../support/inner-pawl.ts';
import type { JobEvent } from 'pawl/internal/core/event';
import type { JobRef } from 'pawl/internal/core/job';
import { burn, endless, holdsOn, poison, STAGES, tenStages } from '../fixtures/handlers/chaos.ts';
import { jobWhen } from '../support/job-when.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { startWorkerProcess, type WorkerProcess } from './fleet.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-chaos-'));
const artifacts = join(folder, 'artifacts');
const fleet: WorkerProcess[] = [];
let database: FreshDatabase;
let pawl: InnerPawl;
let names = 0;

before(async () => {
  const [server] = await postgresServers();
  database = await freshDatabase(server!);
  pawl = await openInner({
    database: database.url,
    artifacts,
    jobs: [burn, tenStages, holdsOn, poison, endless],
  });
});

// A worker that a failed test left behind would take the jobs of the next one.
afterEach(async () => {
  await Promise.all(fleet.splice(0).map(end));
});

after(async () => {
  await pawl.close();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function startWorker(...flags: string[]): Promise<WorkerProcess> {
  const worker = await startWorkerProcess(database.url, `worker-${++names}`, ...flags);
  fleet.push(worker);
  return worker;
}

async function eventsOf({ tenant, id }: JobRef, notes = false): Promise<readonly JobEvent[]> {
  const page = await pawl.engine.events({ tenant, id, after: null, limit: 1_000, notes });
  return page.events;
}

async function end(worker: WorkerProcess): Promise<void> {
  worker.signal('SIGKILL');
  await worker.exited;
}

test('[P2, P4, T31, R9] after kill -9 in a ten-stage job another worker finishes it', async () => {
  const ledger = join(folder, 'ledger.txt');
  const first = await startWorker();
  const job = await pawl.enqueue(tenStages, { ledger, hangsIn: 's5' });
  await first.said('hanging');
  await end(first);
  const second = await startWorker();
  const ended = await pawl.ended(job);
  assert.deepEqual([ended.state, ended.attempts, ended.result], ['succeeded', 2, '2']);
  const done = readFileSync(ledger, 'utf8').trim().split('\n');
  assert.deepEqual(done, [
    ...STAGES.slice(0, 6).map((name) => `${name} by attempt 1`),
    ...STAGES.slice(5).map((name) => `${name} by attempt 2`),
  ]);
  const lost = (await eventsOf(job)).find(({ cause }) => cause === 'lease_expired');
  assert.equal(lost?.to, 'pending');
  await end(second);
});

describe('a worker stopped past its lease and continued', () => {
  async function stopAndContinue(
    ...flags: string[]
  ): Promise<{ first: WorkerProcess; job: JobRef }> {
    const first = await startWorker(`--artifacts=${artifacts}`, ...flags);
    const job = await pawl.enqueue(holdsOn);
    await first.said('holding');
    first.signal('SIGSTOP');
    const second = await startWorker();
    const ended = await pawl.ended(job);
    assert.deepEqual([ended.state, ended.result], ['succeeded', '"by the second"']);
    await end(second);
    first.signal('SIGCONT');
    first.tell('go on');
    return { first, job };
  }

  async function assertOneSuccess(job: JobRef): Promise<void> {
    const { result, checkpoint, progress } = await pawl.engine.job(job);
    assert.deepEqual([result, checkpoint, progress], ['"by the second"', null, 100]);
    const events = await eventsOf(job, true);
    assert.equal(events.filter(({ type }) => type === 'job_succeeded').length, 1);
    assert.ok(
      events.every(({ progress: seen }) => seen !== 77),
      'late progress left no trace',
    );
    assert.deepEqual(await pawl.context.store.stages(job), []);
    assert.deepEqual(await pawl.artifacts!.list(job), []);
    const files = readdirSync(artifacts, { recursive: true, withFileTypes: true });
    assert.deepEqual(
      files.filter((entry) => entry.isFile()),
      [],
      'no bytes are left either',
    );
  }

  test('[R7, P2] notices it by its own clock, stops its handler and writes nothing', async () => {
    const { first, job } = await stopAndContinue();
    assert.equal(await first.said('checkpoint'), 'checkpoint refused: leaseLost');
    assert.equal(await first.said('stage result'), 'stage result refused: leaseLost');
    assert.equal(await first.said('artifact'), 'artifact refused: leaseLost');
    assert.equal(await first.said('signal'), 'signal: leaseLost');
    await assertOneSuccess(job);
    await end(first);
  });

  test('[R7, R36, P15] is refused by the database where its own clock stood still', async () => {
    const { first, job } = await stopAndContinue('--frozen');
    assert.equal(await first.said('checkpoint'), 'checkpoint refused: leaseLost');
    assert.equal(await first.said('stage result'), 'stage result refused: leaseLost');
    assert.equal(await first.said('artifact'), 'artifact refused: leaseLost');
    await first.said('signal: leaseLost');
    await assertOneSuccess(job);
    await end(first);
  });
});

test('[R7, D17] a worker stopped while a thread computes ends that and goes on', async () => {
  const worker = await startWorker();
  const job = await pawl.enqueue(burn, { ms: 2_500 });
  await jobWhen(pawl.engine, job, ({ phase }) => phase === 'executing');
  worker.signal('SIGSTOP');
  await jobWhen(pawl.engine, job, ({ phase }) => phase === 'ready');
  worker.signal('SIGCONT');
  const { state, attempts } = await pawl.ended(job);
  assert.equal(state, 'succeeded');
  // On a busy machine a lease as short as this one can run out once more.
  assert.ok(attempts >= 2, `${attempts} attempts`);
  await end(worker);
});

test('[P8, T31] a job that kills its workers ends in the dead-letter queue', async () => {
  const job = await pawl.enqueue(poison);
  for (let attempt = 1; attempt <= 2; attempt++) {
    const worker = await startWorker();
    assert.equal((await worker.exited).code, 9);
  }
  const ended = await pawl.ended(job);
  assert.deepEqual([ended.state, ended.error?.class], ['failed', 'worker_lost']);
  const letters = await pawl.engine.deadLetters({ tenant: job.tenant, limit: 10 });
  const letter = letters.find(({ jobId }) => jobId === job.id);
  assert.deepEqual([letter?.reasonCode, letter?.attempts], ['exhausted_retries', 2]);
});

describe('SIGTERM', () => {
  test('a worker asks its handlers to stop, gives their jobs back and leaves', async () => {
    const worker = await startWorker();
    const job = await pawl.enqueue(endless, { heeds: true });
    await worker.said('working');
    worker.signal('SIGTERM');
    await worker.said('drained');
    assert.deepEqual(await worker.exited, { code: 0, signal: null });
    const { phase, attempts, checkpoint } = await pawl.engine.job(job);
    assert.deepEqual([phase, attempts, checkpoint], ['ready', 1, '"begun"']);
    await pawl.cancel(job);
  });

  test('a second one ends handlers that do not heed it; their jobs are given back', async () => {
    const worker = await startWorker();
    const job = await pawl.enqueue(endless, { heeds: false });
    await worker.said('working');
    worker.signal('SIGTERM');
    await worker.said('draining');
    worker.signal('SIGTERM');
    assert.deepEqual(await worker.exited, { code: 0, signal: null });
    const { phase, attempts } = await pawl.engine.job(job);
    assert.deepEqual([phase, attempts], ['ready', 1]);
    await pawl.cancel(job);
  });
});
