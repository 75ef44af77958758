// Every listed row of the five lifecycles, taken in the store, against what the port says of it.
import assert from 'node:assert/strict';
import type { Step } from '../../../src/core/decision.ts';
import type { JobEvent } from '../../../src/core/event.ts';
import type { Job } from '../../../src/core/job.ts';
import { placeName, type Transition } from '../../../src/core/lifecycle.ts';
import { isOwned, isTerminal } from '../../../src/core/phase.ts';
import { builtInLifecycles } from '../../../src/lifecycles/built-in.ts';
import { jobAt, registerTypes, requestFor } from './places.ts';
import type { Cases, Scene } from './scene.ts';

/** The port's own words for what a step does to the row. */
function expectedJob(job: Job, step: Step, now: number): Job {
  const { phase } = step.to;
  const isEnd = isTerminal(phase);
  const isPending = phase === 'ready' || phase === 'waiting';
  const dueAt = job.phase === 'held' ? Math.max(now, job.runAt) : now + step.delayMs;
  return {
    ...job,
    state: step.to.state,
    phase,
    epoch: step.epoch,
    version: job.version + (step.quiet ? 0 : 1),
    attempts: step.attempts,
    retryCount: step.retryCount,
    backoffMs: step.backoffMs === null ? job.backoffMs : step.backoffMs,
    error: step.error === undefined ? job.error : step.error,
    runAt: isPending ? dueAt : job.runAt,
    owner: isOwned(phase) ? job.owner : null,
    leaseExpiry: isOwned(phase) ? job.leaseExpiry : null,
    startedAt: phase === 'executing' && job.startedAt === null ? now : job.startedAt,
    completedAt: isEnd ? now : job.completedAt,
    cancel: isEnd ? null : job.cancel,
    progress: phase === 'succeeded' ? 100 : job.progress,
    updatedAt: now,
  };
}

function expectedEvent(before: Job, after: Job, step: Step): JobEvent {
  const error = step.error === undefined || step.error === null ? {} : { error: step.error };
  const delay = step.delayMs === 0 ? {} : { delayMs: step.delayMs };
  const payload = { ...error, ...delay };
  return {
    tenant: after.tenant,
    jobId: after.id,
    version: after.version,
    note: 0,
    type: step.event,
    at: after.updatedAt,
    from: before.state,
    to: after.state,
    phase: after.phase,
    epoch: after.epoch,
    attempt: after.attempts,
    retryCount: after.retryCount,
    progress: after.progress,
    stage: after.stage,
    message: after.message,
    actor: before.owner === null ? 'system' : `worker:${before.owner}`,
    cause: step.cause,
    payload: Object.keys(payload).length === 0 ? null : payload,
  };
}

async function showRow(scene: Scene, row: Transition): Promise<void> {
  const { type, request } = requestFor(row);
  const lifecycle = scene.lifecycle((await scene.newJob({ type })).lifecycle);
  const job = await jobAt(scene, lifecycle, { place: row.from, type });
  const eventsBefore = await scene.events(job);
  const now = scene.clock.advance(7);
  const move = scene.move(job, request);
  assert.equal(move.steps.length, 1);
  const step = move.steps[0]!;
  assert.deepEqual([step.from, step.to], [row.from, row.to]);
  const expected = expectedJob(job, step, now);
  assert.deepEqual(await scene.apply(move), {
    kind: 'moved',
    version: expected.version,
    at: now,
  });
  assert.deepEqual(await scene.read(job), expected);
  const written = step.quiet ? [] : [expectedEvent(job, expected, step)];
  assert.deepEqual(await scene.events(job), [...eventsBefore, ...written]);
}

/** A claim's row: the port's words for what it does. */
async function showClaim(scene: Scene, row: Transition): Promise<void> {
  const lifecycle = scene.lifecycle((await scene.newJob({ type: 'many' })).lifecycle);
  const job = await jobAt(scene, lifecycle, { place: row.from, type: 'many' });
  const eventsBefore = await scene.events(job);
  const now = scene.clock.advance(Math.max(7, job.runAt - scene.clock.now()));
  const [claimed] = await scene.claim({ owner: 'ada' });
  const expected: Job = {
    ...job,
    ...row.to,
    epoch: job.phase === 'waiting' ? job.epoch + 1 : job.epoch,
    version: job.version + (row.quiet ? 0 : 1),
    attempts: Math.max(1, job.attempts),
    owner: 'ada',
    leaseExpiry: now + 30_000,
    startedAt: row.to.phase === 'executing' ? (job.startedAt ?? now) : job.startedAt,
    updatedAt: now,
  };
  const { token: _token, key: _key, ...rest } = claimed!;
  assert.deepEqual(rest, { job: expected, stages: [], at: now });
  assert.deepEqual(await scene.read(job), expected);
  const written = (await scene.events(job)).slice(eventsBefore.length);
  assert.deepEqual(
    written.map(({ version, type, from, to, actor }) => [version, type, from, to, actor]),
    row.quiet
      ? []
      : [[expected.version, 'job_claimed', row.from.state, row.to.state, 'worker:ada']],
  );
}

const IDS: Readonly<Record<string, string>> = {
  document: 'D2',
  process: 'O1',
  platform: 'P7',
  task: 'T4',
  distributed: 'R2',
};

function rowTitle(lifecycle: string, row: Transition): string {
  const when = row.when === null ? '' : ` (${row.when})`;
  const move = `${row.on}${when} moves ${placeName(row.from)} to ${placeName(row.to)}`;
  return `[${IDS[lifecycle]}, R5, R27] ${lifecycle}: ${move}, with one event`;
}

export const rowCases: Cases = Object.fromEntries(
  builtInLifecycles.flatMap((lifecycle) =>
    lifecycle.transitions
      .filter((row) => row.on !== 'exhaust')
      .map((row) => [
        rowTitle(lifecycle.name, row).replace(
          'with one event',
          row.quiet ? 'without an event' : 'with one event',
        ),
        async (scene: Scene) => {
          await registerTypes(scene, lifecycle.name);
          await (row.on === 'claim' ? showClaim : showRow)(scene, row);
        },
      ]),
  ),
);
