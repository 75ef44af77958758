// Cancel against everything else that can end a turn, on real databases: exactly one wins.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { JobEvent } from 'pawl/internal/core/event';
import { isTerminal } from 'pawl/internal/core/phase';
import type { Claim } from 'pawl/internal/engine/claim';
import { realStores } from '../support/real-stores.ts';
import { openWorld, type World } from '../support/world.ts';

const ROUNDS = 12;

interface Opponent {
  readonly name: string;
  /** Whether the job is in a worker's hands when the race begins. */
  readonly isClaimed: boolean;
  act(world: World, claim: Claim | null): Promise<unknown>;
}

const OPPONENTS: readonly Opponent[] = [
  { name: 'complete', isClaimed: true, act: (world, claim) => world.complete(claim!, 'done') },
  { name: 'fail', isClaimed: true, act: (world, claim) => world.fail(claim!, 'PermanentError') },
  { name: 'retry', isClaimed: true, act: (world, claim) => world.fail(claim!, 'network_timeout') },
  { name: 'snooze', isClaimed: true, act: (world, claim) => world.snooze(claim!, 0) },
  { name: 'claim', isClaimed: false, act: (world) => world.claim('w2', 'job', { max: 1 }) },
  { name: 'expiry', isClaimed: true, act: (world) => world.engine.sweepExpired() },
];

async function race(world: World, opponent: Opponent, mode: 'soft' | 'hard'): Promise<JobEvent[]> {
  const job = await world.enqueue('job');
  const claim = opponent.isClaimed ? await world.claimOne('w1', 'job') : null;
  if (opponent.name === 'expiry') world.advance(60_001);
  await Promise.allSettled(
    world.random.next() < 0.5
      ? [world.cancel(job, mode), opponent.act(world, claim)]
      : [opponent.act(world, claim), world.cancel(job, mode)],
  );
  await finish(world, job.id);
  return [...(await world.events(job))];
}

/** Brings a job to its end that the race has left open, as its worker or the sweeps would. */
async function finish(world: World, id: string): Promise<void> {
  for (let round = 0; round < 10; round++) {
    const job = await world.job(id);
    if (isTerminal(job.phase)) return;
    if (job.phase === 'executing') {
      const held = { ref: job, owner: job.owner!, epoch: job.epoch };
      const kind = job.cancel === null ? ('succeed' as const) : ('cancelled' as const);
      await world.engine.settle([{ ...held, ending: { kind } }]);
    } else {
      world.advance(60_000);
      await world.sweep();
      await world.claim('w3', 'job', { max: 1 });
    }
  }
}

const ENDS = ['job_succeeded', 'job_failed', 'job_cancelled', 'job_dead_lettered'];

for (const { label, open } of await realStores()) {
  describe(`on ${label}`, async () => {
    const world = await openWorld({ store: open, seed: 7, types: { job: { lifecycle: 'task' } } });
    after(() => world.close());
    for (const opponent of OPPONENTS) {
      for (const mode of ['soft', 'hard'] as const) {
        test(`[T7, T8, R13, R14] ${mode} cancel against ${opponent.name}: one wins`, async () => {
          for (let round = 0; round < ROUNDS; round++) {
            const events = await race(world, opponent, mode);
            const ends = events.filter(({ type }) => ENDS.includes(type));
            assert.equal(ends.length, 1, `one end, not ${ends.map(({ type }) => type).join(', ')}`);
            assert.equal(events.at(-1), ends[0], 'and nothing after it');
            assert.deepEqual(
              events.map(({ version }) => version),
              events.map((_, index) => index + 1),
            );
          }
        });
      }
    }
  });
}
