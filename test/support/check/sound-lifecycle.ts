// Lifecycles of all shapes that the soundness check lets through, and walks through them.
import {
  defineLifecycle,
  type LifecycleDefinition,
  LifecycleError,
} from 'pawl/internal/core/define-lifecycle';
import type { Request } from 'pawl/internal/core/decision';
import type { Job } from 'pawl/internal/core/job';
import type { Lifecycle } from 'pawl/internal/core/lifecycle';
import type { Phase } from 'pawl/internal/core/phase';
import { SeededRandom } from 'pawl/internal/core/random';
import { fixed } from 'pawl/internal/core/retry';
import { failure, type World } from './world.ts';

type Row = LifecycleDefinition['transitions'][number];

class Dice {
  readonly #random: SeededRandom;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  chance(share = 0.5): boolean {
    return this.#random.next() < share;
  }

  pick<One>(all: readonly One[]): One {
    return all[Math.floor(this.#random.next() * all.length)]!;
  }
}

/** Each row is there or not as the dice fall; null where the table is not sound. */
export function soundLifecycle(seed: number): Lifecycle | null {
  const dice = new Dice(seed);
  const states: Record<string, Phase> = { open: 'ready', busy: 'executing', done: 'succeeded' };
  const optional = ['held', 'leased', 'waiting', 'cancelled', 'dead', 'failed'] as const;
  for (const phase of optional) if (dice.chance()) states[phase] = phase;
  const { retry, rows } = rowsOf(states, dice);
  try {
    return defineLifecycle({
      name: 'any',
      initial: 'held' in states ? 'held' : 'open',
      states,
      transitions: rows,
      defaults: {
        retryable: ['timeout'],
        retry,
        dlq: dice.pick(['never', 'exhausted', 'failed']),
        onExhausted: dice.pick(['failed', 'dead_lettered']),
      },
    });
  } catch (error) {
    if (error instanceof LifecycleError) return null;
    throw error;
  }
}

function rowsOf(states: Readonly<Record<string, Phase>>, dice: Dice) {
  const has = (state: string): boolean => state in states;
  const taken = has('leased') ? 'leased' : 'busy';
  const ends = ['failed', 'dead'].filter(has);
  const rounds = ['open', 'waiting'].filter(has);
  const rows: Row[] = [
    { on: 'claim', from: 'open', to: taken },
    { on: 'succeed', from: 'busy', to: 'done' },
  ];
  if (has('held')) rows.push({ on: 'submit', from: 'held', to: 'open' });
  if (has('leased')) rows.push({ on: 'start', from: 'leased', to: 'busy' });
  if (has('waiting')) {
    rows.push(
      dice.chance()
        ? { on: 'requeue', from: 'waiting', to: 'open' }
        : { on: 'claim', from: 'waiting', to: taken },
    );
    if (ends.length > 0 && dice.chance()) {
      rows.push({ on: 'exhaust', from: 'waiting', to: dice.pick(ends) });
    }
  }
  for (const from of ['busy', 'leased'].filter(has)) {
    rows.push(...failureRows(from, { ends, rounds, dice }));
    rows.push({ on: 'release', from, to: dice.pick(rounds) });
  }
  if (dice.chance()) rows.push({ on: 'snooze', from: 'busy', to: dice.pick(rounds) });
  for (const from of ['open', 'busy', 'waiting', 'leased'].filter(has)) {
    if (has('cancelled') && dice.chance()) rows.push({ on: 'cancel', from, to: 'cancelled' });
    if (has('dead') && dice.chance()) rows.push({ on: 'deadLetter', from, to: 'dead' });
  }
  return { retry: { maxAttempts: 2, backoff: fixed(100) }, rows };
}

function failureRows(
  from: string,
  { ends, rounds, dice }: { ends: string[]; rounds: string[]; dice: Dice },
): Row[] {
  return (['fail', 'lose'] as const).flatMap((on) => {
    const rows: Row[] = [];
    const counts = dice.chance() ? { countsRetry: dice.chance() } : {};
    if (dice.chance()) {
      rows.push({ on, from, to: dice.pick(rounds), when: 'mayRetry', ...counts });
    }
    if (ends.includes('dead') && dice.chance()) {
      rows.push({ on, from, to: 'dead', when: 'deadLetters' });
    }
    if (ends.length > 0 && dice.chance(0.7)) rows.push({ on, from, to: dice.pick(ends) });
    else if (dice.chance()) rows.push({ on, from, to: dice.pick(rounds) });
    return rows;
  });
}

const REQUESTS: readonly Request[] = [
  { on: 'start' },
  { on: 'succeed' },
  { on: 'fail', error: failure('timeout') },
  { on: 'fail', error: failure('timeout') },
  { on: 'fail', error: failure('validation_error') },
  { on: 'fail', error: failure('timeout'), deadLetter: 'timeout' },
  { on: 'lose' },
  { on: 'release' },
  { on: 'snooze', delayMs: 30 },
  { on: 'cancel', reason: null },
  { on: 'deadLetter', reason: 'timeout', message: 'enough' },
];

/** Some things that may happen to one job, in any order. */
export async function walk(world: World, seed: number): Promise<void> {
  const dice = new Dice(seed);
  const { id } = await world.submit();
  for (let step = 0; step < 25; step++) {
    world.clock.advance(dice.pick([0, 50, 200]));
    const job = await world.read(id);
    if (job.owner === null) await world.claim(`w${step}`);
    else if (dice.chance(0.1) && job.cancel === null) await world.wishCancel(job);
    else await ask(world, job, dice.pick(REQUESTS));
  }
}

async function ask(world: World, job: Job, request: Request): Promise<void> {
  const isOrder = request.on === 'cancel' || request.on === 'deadLetter';
  if (request.on === 'lose') world.clock.advance(world.policy.lease.ttlMs);
  await world.ask(job, request, request.on === 'lose' ? 'expired' : isOrder ? 'anyone' : 'owner');
}
