// The real engine on the real SQLite store, in virtual time, with everything going wrong.
//   PAWL_SEED=7 PAWL_SIM_SEEDS=1000   which seeds, and how many
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Totals } from '../proof/simulate/totals.ts';
import { inMemory } from '../support/world.ts';
import { sqliteInline } from '../support/world-stores.ts';
import { findBug, SEEDS_MAX } from './find-bug.ts';
import { FAULTS } from './faults.ts';
import { PLANTED_BUGS } from './planted-bugs.ts';
import { openPlanted } from './planted-store.ts';
import { regressionSeeds } from './regression-seeds.ts';
import { explainRun, shrinkRun } from './shrink-run.ts';
import { simulate } from './simulate.ts';

const seedMin = Number(process.env['PAWL_SEED'] ?? 1_000);
const seedCount = Number(process.env['PAWL_SIM_SEEDS'] ?? 60);
const isByHand = process.env['PAWL_SEED'] !== undefined;
const { open } = sqliteInline;

describe('a simulated platform', () => {
  const totals = new Totals();

  test('[R24, R25, R5, R7, P2, P8, P9] keeps its promises in chaos', async (context) => {
    const fresh = Array.from({ length: seedCount }, (_, index) => seedMin + index);
    const old = isByHand ? [] : regressionSeeds;
    for (const seed of [...old, ...fresh]) {
      const cast = old.includes(seed) ? 'plain' : 'swarm';
      const report = await simulate({ seed, open, cast, coverage: totals.coverage });
      if (report.problems.length > 0) assert.fail(await explainRun({ seed, open, cast }, report));
      // On the plain oracle, so that equal traces show two things at once.
      const again = await simulate({ seed, open: inMemory, cast });
      assert.equal(again.traceHash, report.traceHash, `seed ${seed} did not repeat itself`);
      totals.add(report);
    }
    context.diagnostic(totals.summary);
  });

  test('the simulation is not vacuous: work got done, and every fault really happened', () => {
    if (isByHand) return;
    assert.ok(totals.counts.ok > 0.5 * totals.counts.operations, totals.summary);
    const all = [...FAULTS, 'clockJump'];
    assert.deepEqual([...totals.faults.keys()].toSorted(), all.toSorted());
    assert.deepEqual(totals.coverage.missingTriggers, []);
    assert.ok(totals.counts.zombies > 0, 'no former owner wrote once more');
  });
});

describe('the simulation finds a store in which', () => {
  for (const [title, bug] of Object.entries(PLANTED_BUGS)) {
    test(title, async (context) => {
      const found = await findBug(bug);
      assert.ok(found, `not found in ${SEEDS_MAX} seeds`);
      context.diagnostic(`seed ${found.seed}: ${found.told}`);
    });
  }

  test('nothing is wrong: the same store without a bug passes', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const { problems } = await simulate({ seed, open: openPlanted({}) });
      assert.deepEqual(problems, []);
    }
  });

  test('answers are otherwise: its runs leave another trace than those of the oracle', async () => {
    const bug = openPlanted(PLANTED_BUGS['progress may fall']!);
    const wrong = await simulate({ seed: 1, open: bug });
    const right = await simulate({ seed: 1, open: inMemory });
    assert.notEqual(wrong.traceHash, right.traceHash);
    const same = await simulate({ seed: 1, open: openPlanted({}) });
    assert.equal(same.traceHash, right.traceHash);
  });

  test('a failing run shrinks to a few errands and faults', async () => {
    const bug = openPlanted(PLANTED_BUGS['attempts are not counted']!);
    const failing = await simulate({ seed: 1, open: bug });
    assert.notDeepEqual(failing.problems, []);
    const { remains, report } = await shrinkRun({ seed: 1, open: bug }, failing);
    assert.notDeepEqual(report.problems, []);
    assert.ok(remains.errands.size <= 5, `${remains.errands.size} errands are left`);
    assert.ok(remains.faults.size <= 5, `${remains.faults.size} faults are left`);
  });
});
