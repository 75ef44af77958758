// How to bring a fresh job to any place of a lifecycle, by listed rows only.
import assert from 'node:assert/strict';
import type { Request } from '../../../src/core/decision.ts';
import type { Job } from '../../../src/core/job.ts';
import {
  type Lifecycle,
  type Place,
  samePlace,
  type Transition,
} from '../../../src/core/lifecycle.ts';
import type { Move } from '../../../src/store/move.ts';
import type { Scene } from './scene.ts';

/** Every class of `RETRIED` is retried by the types of `registerTypes`; this one is not. */
export const RETRIED = { class: 'retried_here', message: 'try again' } as const;
export const FATAL = { class: 'internal_bug', message: 'a bug' } as const;

/** A type with attempts to spare and one that has a single attempt, for each lifecycle. */
export async function registerTypes(scene: Scene, lifecycle: string): Promise<void> {
  const backoff = { kind: 'fixed', baseMs: 1_000 } as const;
  for (const [name, maxAttempts] of Object.entries({ many: 100, single: 1 })) {
    const policy = { retryable: [RETRIED.class], retry: { maxAttempts, backoff } };
    await scene.type(name, lifecycle, policy);
  }
}

/** What has to be asked, and of which type, so that the core takes exactly this row. */
export function requestFor(row: Transition): { type: 'many' | 'single'; request: Request } {
  switch (row.on) {
    case 'fail': {
      if (row.when === 'mayRetry') return many({ on: 'fail', error: RETRIED });
      const deadLetter = row.when === 'deadLetters' ? 'policy_violation' : null;
      return many({ on: 'fail', error: FATAL, deadLetter });
    }
    case 'lose':
      return { type: row.when === 'mayRetry' ? 'many' : 'single', request: { on: 'lose' } };
    case 'snooze':
    case 'advance':
      return many({ on: row.on, delayMs: 700 });
    case 'cancel':
      return many({ on: 'cancel', reason: 'not needed' });
    case 'reject':
      return many({ on: 'reject', error: { class: 'resource_limit_exceeded', message: 'full' } });
    case 'deadLetter':
      return many({ on: 'deadLetter', reason: 'policy_violation', message: 'against policy' });
    case 'claim':
    case 'exhaust':
      throw new RangeError(`${row.on} is nothing that one asks for`);
    default:
      return many({ on: row.on });
  }
}

function many(request: Request): { type: 'many'; request: Request } {
  return { type: 'many', request };
}

/** The rows of the shortest way there from birth. */
function wayTo(lifecycle: Lifecycle, goal: Place): readonly Transition[] {
  const chains: { at: Place; rows: readonly Transition[] }[] = [
    { at: lifecycle.initial, rows: [] },
  ];
  for (const { at, rows } of chains) {
    if (samePlace(at, goal)) return rows;
    for (const row of lifecycle.transitions) {
      const isKnown = chains.some((chain) => samePlace(chain.at, row.to));
      if (samePlace(row.from, at) && !isKnown) chains.push({ at: row.to, rows: [...rows, row] });
    }
  }
  throw new RangeError(`${goal.state}/${goal.phase} cannot be reached`);
}

/** A fresh job of the type `many` or `single` that has come to this place. */
export async function jobAt(
  scene: Scene,
  lifecycle: Lifecycle,
  { place, type }: { place: Place; type: 'many' | 'single' },
): Promise<Job> {
  const rows = wayTo(lifecycle, place);
  const needsOne = rows.some((row) => row.on === 'lose' && row.when === null);
  let job = await scene.enqueue({ type: needsOne ? 'single' : type, submit: false });
  for (const row of rows) job = await takeRow(scene, job, row);
  assert.deepEqual({ state: job.state, phase: job.phase }, place);
  return job;
}

/** Takes one row by the verb that is for it. */
export async function takeRow(scene: Scene, job: Job, row: Transition): Promise<Job> {
  if (row.on === 'claim') {
    scene.clock.advance(Math.max(0, job.runAt - scene.clock.now()));
    const claimed = await scene.claim({ owner: `owner-of-${job.id}` });
    assert.ok(claimed.some((one) => one.job.id === job.id));
    return scene.read(job);
  }
  const steps =
    row.on === 'exhaust' ? exhaust(job, row) : scene.steps(job, requestFor(row).request);
  const outcome = await scene.apply({ ...scene.move(job, []), ...steps });
  assert.equal(outcome.kind, 'moved');
  return scene.read(job);
}

/** The second half of a fatal error, which the core never decides on alone. */
function exhaust({ epoch, attempts, retryCount }: Job, row: Transition): Pick<Move, 'steps'> {
  const { from, to } = row;
  const step = { from, to, epoch, attempts, retryCount, quiet: false, delayMs: 0, backoffMs: null };
  return { steps: [{ ...step, error: undefined, event: 'job_dead_lettered', cause: null }] };
}
