// Short true runs that the checker's tests break.
import type { HistoryInput } from 'pawl/internal/check/history';
import type { Job } from 'pawl/internal/core/job';
import type { Lifecycle } from 'pawl/internal/core/lifecycle';
import { distributed } from 'pawl/internal/lifecycles/distributed';
import { document } from 'pawl/internal/lifecycles/document';
import { process } from 'pawl/internal/lifecycles/process';
import { failure, World } from './world.ts';

export async function claimed(world: World, owner = 'w1'): Promise<Job> {
  const job = await world.claim(owner);
  if (job === null) throw new Error('there was nothing to claim');
  return job.phase === 'leased' ? world.ask(job, { on: 'start' }, 'owner') : job;
}

/** created 1, queued 2, claimed 3 by w1 (notes 3.1, 3.2), succeeded 4. */
export async function succeededRun(lifecycle: Lifecycle = document): Promise<HistoryInput> {
  const world = new World(lifecycle);
  await world.submit();
  const job = await claimed(world);
  world.clock.advance(100);
  await world.renew(job, { progress: 30, stage: 'cut' });
  world.clock.advance(100);
  await world.renew(job, { progress: 60, stage: 'glue' });
  world.ran(job, world.clock.now() + 1);
  await world.ask(await world.read(job.id), { on: 'succeed' }, 'owner');
  return world.record();
}

/** created 1, queued 2, claimed 3, retry_scheduled 4, requeued 5, claimed 6 by w2, succeeded 7. */
export async function retriedRun(): Promise<HistoryInput> {
  const world = new World(document);
  await world.submit();
  await world.ask(await claimed(world), { on: 'fail', error: failure('timeout') }, 'owner');
  world.clock.advance(1_000);
  await world.ask(await claimed(world, 'w2'), { on: 'succeed' }, 'owner');
  return world.record();
}

/** created 1, claimed 2 by w1, started 3, requeued 4 (lost), claimed 5 by w2, started 6. */
export async function lostRun(): Promise<HistoryInput> {
  const world = new World(distributed);
  await world.submit();
  const job = await claimed(world);
  world.clock.advance(world.policy.lease.ttlMs);
  await world.ask(job, { on: 'lose' }, 'expired');
  await claimed(world, 'w2');
  return world.record();
}

/** created 1, claimed 2, then quietly snoozed and claimed again; epoch 3, executing by w3. */
export async function polledRun(): Promise<HistoryInput> {
  const world = new World(process);
  await world.submit();
  for (const owner of ['w1', 'w2']) {
    await world.ask(await claimed(world, owner), { on: 'snooze', delayMs: 5 }, 'owner');
    world.clock.advance(5);
  }
  await claimed(world, 'w3');
  return world.record();
}

/** created 1, queued 2, then a failure: 4 is its end. */
export async function failedRun(errorClass = 'invalid_document'): Promise<HistoryInput> {
  const world = new World(document);
  await world.submit();
  await world.ask(await claimed(world), { on: 'fail', error: failure(errorClass) }, 'owner');
  return world.record();
}
