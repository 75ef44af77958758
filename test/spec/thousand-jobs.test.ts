// Document R's acceptance: 1,000 jobs with failures, retries, cancels, snoozes and dead workers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkHistory } from 'pawl/internal/check/check-history';
import { isOwned, isTerminal } from 'pawl/internal/core/phase';
import type { Claim } from 'pawl/internal/engine/claim';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { readAll } from '../simulation/read-all.ts';
import { realStores } from '../support/real-stores.ts';
import { holdingOf, openWorld, TENANT, type World } from '../support/world.ts';

const JOBS = 1_000;
const TYPES = {
  scan: { lifecycle: 'document' },
  flood: { lifecycle: 'process' },
  mail: { lifecycle: 'platform' },
  export: { lifecycle: 'task' },
  index: { lifecycle: 'distributed' },
};
const NAMES = Object.keys(TYPES);
const ROUNDS_MAX = 400;

async function enqueueAll(world: World): Promise<void> {
  const requests = Array.from({ length: JOBS }, (_, index) => ({
    type: NAMES[index % NAMES.length]!,
    input: index,
  }));
  await world.engine.enqueue(requests, { caller: { tenant: TENANT, principal: null } });
}

/** One worker's way with one job: mostly well, sometimes not, sometimes it dies. */
async function work(world: World, claim: Claim): Promise<void> {
  const held = holdingOf(claim);
  const die = world.random.next();
  if (die < 0.08) return;
  if (claim.job.phase === 'leased') await world.engine.start([held]);
  if (world.random.next() < 0.3) await world.engine.renew([{ ...held, progress: 50 }]);
  const error = { class: 'timeout', message: 'too slow' };
  const final = { class: 'PermanentError', message: 'no use' };
  if (die < 0.25) await world.engine.settle([{ ...held, ending: { kind: 'fail', error } }]);
  else if (die < 0.3) {
    await world.engine.settle([{ ...held, ending: { kind: 'fail', error: final } }]);
  } else if (die < 0.35) {
    await world.engine.settle([{ ...held, ending: { kind: 'snooze', delayMs: 2_000 } }]);
  } else if (die < 0.4) await world.engine.settle([{ ...held, ending: { kind: 'release' } }]);
  else await world.engine.settle([{ ...held, ending: { kind: 'succeed', result: '1' } }]);
}

async function cancelSome(world: World): Promise<void> {
  const { jobs } = await world.engine.jobs({ tenant: TENANT, limit: 500 });
  const victims = jobs.filter((job) => !isTerminal(job.phase) && world.random.next() < 0.01);
  await world.engine.cancel(
    victims.map(({ tenant, id }) => ({
      ref: { tenant, id },
      actor: 'api:tester',
      mode: world.random.next() < 0.5 ? 'soft' : 'hard',
      reason: null,
    })),
  );
}

async function runToTheEnd(world: World): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const claims = await world.engine.claim({ owner: `w${round % 7}`, types: NAMES, max: 200 });
    await Promise.all(claims.map((claim) => work(world, claim)));
    if (round < 40) await cancelSome(world);
    world.advance(5_000);
    await world.sweep();
    if ((await world.engine.tally(TENANT)).length === 0) return;
  }
  assert.fail(`jobs were still open after ${ROUNDS_MAX} rounds`);
}

for (const { label, open } of await realStores()) {
  test(`[R26, R5, D12, R24] on ${label}: events match transitions, and fold back into every row`, async () => {
    const world = await openWorld({ store: open, seed: 26, types: TYPES });
    await enqueueAll(world);
    await runToTheEnd(world);
    const found = await readAll(world.store, [TENANT]);
    assert.equal(found.jobs.length, JOBS);
    assert.deepEqual(checkHistory({ ...found, lifecycles: builtInLifecycles }), []);
    const events = found.events.filter((event) => event.note === 0);
    const versions = found.jobs.reduce((sum, job) => sum + job.version, 0);
    assert.equal(events.length, versions);
    assert.ok(found.jobs.every((job) => isTerminal(job.phase) && !isOwned(job.phase)));
    const seen = new Set(events.map((event) => event.type));
    for (const type of ['job_retry_scheduled', 'job_cancelled', 'job_dead_lettered'] as const) {
      assert.ok(seen.has(type), `no ${type} happened, so the test shows too little`);
    }
    await world.close();
  });
}
