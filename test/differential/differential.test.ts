// The same random operations on the oracle and on a database, compared after every step.
//   PAWL_SEED=7 PAWL_DIFF_SEEDS=50 PAWL_DIFF_STEPS=2000   which seeds, how many, how long
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { builtInLifecycles } from '../../src/lifecycles/built-in.ts';
import { inMemory } from '../support/world.ts';
import { RowCoverage } from '../support/world-rows.ts';
import {
  postgresStores,
  sqliteInline,
  sqliteThread,
  type StoreUnderTest,
} from '../support/world-stores.ts';
import { PLANTED_BUGS } from '../simulation/planted-bugs.ts';
import { openPlanted } from '../simulation/planted-store.ts';
import type { Entrant } from './contestant.ts';
import type { Difference } from './lockstep.ts';
import { FLOW_SEEDS } from './operation.ts';
import { regressionSeeds } from './regression-seeds.ts';
import { explainRace, runRace, shrinkRace } from './race.ts';

const oracle: Entrant = { label: 'memory', open: inMemory, isTailPrompt: true };
const isByHand = process.env['PAWL_SEED'] !== undefined;
const seedMin = Number(process.env['PAWL_SEED'] ?? 1);
const coverage = new RowCoverage(builtInLifecycles);

function fromEnvironment(name: string, otherwise: number): number {
  return Number(process.env[name] ?? otherwise);
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
    const race = { seed, steps, entrants, fullEvery: 25 };
    const found = await runRace(race, coverage);
    if (found !== null) assert.fail(await explainRace(race, found));
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

  test('SQLite also where they once came apart', async () => {
    if (!isByHand) await compare(sqliteInline, { seedMin: FLOW_SEEDS, seeds: 4, steps: 450 });
    for (const { seed, steps } of isByHand ? [] : regressionSeeds) {
      await compare(sqliteInline, { seedMin: seed, seeds: 1, steps });
    }
  });

  test('each PostgreSQL server', async (context) => {
    for (const store of await postgresStores()) {
      const amount = { seedMin: isByHand ? seedMin : seedMin + 100, seeds: 3, steps: 150 };
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
    const race = { seed, steps: 300, entrants, fullEvery: 25 };
    const found = await runRace(race);
    if (found !== null) return shrinkRace(race, found);
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
