// What a job did can be undone: by a child of it, whose end is written to the job's own log.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Job } from 'pawl/internal/core/job';
import { defineJob, type JobDefinition } from 'pawl/internal/handler/define-job';
import { PermanentError } from 'pawl/internal/handler/failure';
import { typed } from 'pawl/internal/handler/schema';
import { distributed } from 'pawl/internal/lifecycles/distributed';
import { platform } from 'pawl/internal/lifecycles/platform';
import { task } from 'pawl/internal/lifecycles/task';
import { Compensator } from 'pawl/internal/engine/follow/compensator';
import { openWorkshop, type Workshop } from '../support/workshop.ts';

interface Fixture {
  readonly guests: number;
}

/** Books rooms and fails; undoing gives them back, unless it cannot. */
function booking(
  fixtures: string[],
  options: { lifecycle?: typeof task; isStuck?: boolean } = {},
): JobDefinition {
  const { lifecycle = task, isStuck = false } = options;
  return defineJob('booking', {
    lifecycle,
    input: typed<Fixture>(),
    run: async ({ stage, input, job }) => {
      await stage('reserve', () => {
        fixtures.push(job.id);
        return { fixture: `room for ${input.guests}` };
      });
      throw new PermanentError('the card was refused');
    },
    compensate: ({ input: { jobId, input, kept, end } }) => {
      assert.deepEqual(kept, { reserve: { fixture: `room for ${input.guests}` } });
      assert.equal(end.error?.class, 'PermanentError');
      if (isStuck) throw new PermanentError('the hotel does not answer');
      fixtures.splice(fixtures.indexOf(jobId), 1);
    },
  });
}

function compensatorOf({ world, timers }: Workshop): Compensator {
  return new Compensator(world.context, { timers });
}

/** Lets the job fail, the child be made and run, and its end be reported. */
async function failAndUndo(
  job: JobDefinition,
): Promise<{ shop: Workshop; before: Job; after: Job }> {
  const shop = await openWorkshop([job]);
  const compensator = compensatorOf(shop);
  const worker = shop.worker();
  const { id } = await shop.world.enqueue('booking', { guests: 2 });
  await shop.runUntilIdle(worker);
  const before = await shop.world.job(id);
  assert.equal(await compensator.runOnce(), 1);
  await shop.runUntilIdle(worker);
  assert.equal(await compensator.runOnce(), 1);
  return { shop, before, after: await shop.world.job(id) };
}

async function childrenOf({ world }: Workshop, { tenant, id }: Job): Promise<readonly Job[]> {
  return (await world.engine.jobs({ tenant, parentJobId: id, limit: 10 })).jobs;
}

for (const lifecycle of [task, distributed, platform]) {
  test(`[R33] a ${lifecycle.name} job that ended badly is undone by a child of it`, async () => {
    const fixtures: string[] = [];
    const { shop, before, after } = await failAndUndo(booking(fixtures, { lifecycle }));
    assert.deepEqual(fixtures, []);
    const children = await childrenOf(shop, before);
    assert.deepEqual(
      children.map(({ type, state, correlationId }) => [type, state, correlationId]),
      [['booking.compensate', 'succeeded', before.id]],
    );
    const last = (await shop.world.events(before)).at(-1)!;
    assert.equal(last.type, 'job_compensated');
    assert.deepEqual(last.payload, { compensationId: children[0]!.id });
    const { version, updatedAt: _, ...row } = after;
    const { version: versionBefore, updatedAt: _before, ...rowBefore } = before;
    assert.equal(version, versionBefore + 1);
    assert.deepEqual(row, rowBefore, 'the job itself never moves');
  });
}

test('[R33, R15] a compensation that fails puts the job in the dead-letter queue', async () => {
  const { shop, before, after } = await failAndUndo(booking([], { isStuck: true }));
  assert.equal(after.state, 'failed');
  const letters = await shop.world.engine.deadLetters({ tenant: before.tenant, limit: 10 });
  const letter = letters.find(({ jobId }) => jobId === before.id);
  assert.equal(letter?.reasonCode, 'compensation_failed');
  assert.match(letter.lastError.message, /the hotel does not answer/);
  assert.equal((await shop.world.events(before)).at(-1)!.cause, 'compensation_failed');
});

describe('a compensation', () => {
  test('[R33] is made once, whoever follows the log and from wherever', async () => {
    const fixtures: string[] = [];
    const job = booking(fixtures);
    const { shop, before } = await failAndUndo(job);
    await shop.world.context.records.followers.remove('compensate');
    assert.equal(await compensatorOf(shop).runOnce(), 0, 'from the start of the log');
    assert.equal((await childrenOf(shop, before)).length, 1);
    const reports = await shop.world.events(before);
    assert.equal(reports.filter(({ type }) => type === 'job_compensated').length, 1);
  });

  test('[R33] is not made for a job that no handler saw, nor for one that succeeded', async () => {
    const job = defineJob('booking', { run: () => 1, compensate: () => 1 });
    const shop = await openWorkshop([job]);
    const cancelled = await shop.world.enqueue('booking');
    await shop.world.cancel(cancelled);
    await shop.world.enqueue('booking');
    await shop.runUntilIdle(shop.worker());
    assert.equal(await compensatorOf(shop).runOnce(), 0);
  });

  test('[R33] is made for a job that was cancelled or lost in the middle', async () => {
    const undone: unknown[] = [];
    const job = defineJob('booking', {
      maxAttempts: 1,
      run: () => new Promise(() => undefined),
      compensate: ({ input }) => undone.push(input.end.phase),
    });
    const shop = await openWorkshop([job]);
    const compensator = compensatorOf(shop);
    const dying = shop.worker({ slots: 2 });
    const cancelled = await shop.world.enqueue('booking');
    await shop.world.enqueue('booking');
    await dying.poll();
    await shop.world.cancel(cancelled, 'hard');
    shop.timers.advance(60_000);
    await shop.world.sweep();
    assert.equal(await compensator.runOnce(), 2);
    await shop.runUntilIdle(shop.worker());
    assert.deepEqual(new Set(undone), new Set(['cancelled', 'failed']));
  });
});

test('[R33, P2] a compensation whose worker dies is done by another, and reported once', async () => {
  const did: string[] = [];
  const stuck = Promise.withResolvers<void>();
  const job = defineJob('booking', {
    run: () => {
      throw new PermanentError('the card was refused');
    },
    compensate: async ({ attempt, once }) => {
      if (attempt === 1) await stuck.promise;
      await once('give back', () => void did.push(`attempt ${attempt}`));
    },
  });
  const shop = await openWorkshop([job]);
  const { id } = await shop.world.enqueue('booking');
  const dying = shop.worker();
  await shop.runUntilIdle(dying);
  await compensatorOf(shop).runOnce();
  await dying.poll();
  await dying.crash();
  shop.timers.advance(120_000);
  await shop.world.sweep();
  await shop.runUntilIdle(shop.worker());
  for (let process = 0; process < 2; process++) {
    await compensatorOf(shop).runOnce();
    shop.timers.advance(60_000);
  }
  assert.deepEqual(did, ['attempt 2']);
  const events = await shop.world.events(id);
  assert.equal(events.filter(({ type }) => type === 'job_compensated').length, 1);
});
