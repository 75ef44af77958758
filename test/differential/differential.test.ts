// The same random operations on the oracle and on a database, compared after every step.
//   PAWL_SEED=7 PAWL_DIFF_SEEDS=50 PAWL_DIFF_STEPS=2000   which seeds, how many, how long
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { builtInLifecycles } from '../../src/lifecycles/built-in.ts';
import { inMemory } from '../support/world.ts';
import { RowCoverage } from '../support/world-rows.ts';
import { shrink } from '../support/world-shrink.ts';
import {
  postgresStores,
  sqliteInline,
  sqliteThread,
  type StoreUnderTest,
} from '../support/world-stores.ts';
import { PLANTED_BUGS } from '../simulation/planted-bugs.ts';
import { openPlanted } from '../simulation/planted-store.ts';
import type { Entrant } from './contestant.ts';
import { type Difference, type LockstepOptions, runLockstep } from './lockstep.ts';
import { type Operation, pickOperations } from './operation.ts';
import { pickTypes } from './requests.ts';

const oracle: Entrant = { label: 'memory', open: inMemory, isTailPrompt: true };
const isByHand = process.env['PAWL_SEED'] !== undefined;
const seedMin = Number(process.env['PAWL_SEED'] ?? 1);
const coverage = new RowCoverage(builtInLifecycles);

function fromEnvironment(name: string, otherwise: number): number {
  return Number(process.env[name] ?? otherwise);
}

interface Race extends Pick<LockstepOptions, 'entrants' | 'fullEvery'> {
  readonly seed: number;
}

async function race(options: Race, operations: readonly Operation[], isCounted = false) {
  const types = pickTypes(options.seed);
  const counted = isCounted ? coverage : null;
  return runLockstep({ ...options, operations, types, coverage: counted });
}

/** The operations that are enough for a difference, and what it then is. */
async function shrunk(options: Race, found: Difference): Promise<Difference> {
  const all = pickOperations(options.seed, found.step);
  const few = await shrink(all, async (part) => (await race(options, part)) !== null);
  return (await race(options, few)) ?? found;
}

function report(seed: number, first: Difference, least: Difference): string {
  const command = `PAWL_SEED=${seed} PAWL_DIFF_SEEDS=1 PAWL_DIFF_STEPS=${first.step}`;
  return [
    `seed ${seed}, step ${first.step}, ${first.label}: ${first.what}`,
    `shrunk to ${least.calls.length} operations, after which ${least.what}`,
    ...least.calls,
    `again: ${command} npm test -- test/differential`,
  ].join('\n');
}

async function compare(
  store: StoreUnderTest,
  amount: { seedMin: number; seeds: number; steps: number },
): Promise<string> {
  const seeds = fromEnvironment('PAWL_DIFF_SEEDS', amount.seeds);
  const steps = fromEnvironment('PAWL_DIFF_STEPS', amount.steps);
  const isTailPrompt = !store.label.startsWith('postgres');
  const entrants: Entrant[] = [oracle, { ...store, isTailPrompt }];
  for (let seed = amount.seedMin; seed < amount.seedMin + seeds; seed++) {
    const options: Race = { seed, entrants, fullEvery: 25 };
    const found = await race(options, pickOperations(seed, steps), true);
    if (found !== null) assert.fail(report(seed, found, await shrunk(options, found)));
  }
  return `${store.label}: ${seeds * steps} operations from seed ${amount.seedMin}`;
}

describe('every store answers like the oracle, and holds the same rows, events and tail', () => {
  const stores: [StoreUnderTest, { seeds: number; steps: number }][] = [
    [sqliteInline, { seeds: 24, steps: 450 }],
    [sqliteThread, { seeds: 2, steps: 150 }],
  ];
  for (const [store, amount] of stores) {
    test(store.label, async (context) => {
      context.diagnostic(await compare(store, { seedMin, ...amount }));
    });
  }

  test('each PostgreSQL server', async (context) => {
    for (const store of await postgresStores()) {
      const amount = { seedMin: seedMin + 100, seeds: 3, steps: 150 };
      context.diagnostic(await compare(store, amount));
    }
  });

  test('every row of every lifecycle was taken on the way', (context) => {
    context.diagnostic(coverage.summary);
    if (!isByHand) assert.deepEqual(coverage.missing, []);
  });
});

async function leastDifference(entrants: readonly Entrant[]): Promise<Difference> {
  for (let seed = 1; seed <= 20; seed++) {
    const options: Race = { seed, entrants, fullEvery: 25 };
    const found = await race(options, pickOperations(seed, 300));
    if (found !== null) return shrunk(options, found);
  }
  return assert.fail('no difference was found');
}

test('a store that is wrong in one point is told apart, by few operations', async (context) => {
  const { 'progress may fall': falls, 'attempts are not counted': miscounts } = PLANTED_BUGS;
  for (const bug of [falls!, miscounts!]) {
    const wrong: Entrant = { label: 'wrong', open: openPlanted(bug), isTailPrompt: true };
    const least = await leastDifference([oracle, wrong]);
    context.diagnostic(`${least.calls.length} operations: ${least.what}`);
    assert.ok(least.calls.length <= 15, least.calls.join('\n'));
  }
});
