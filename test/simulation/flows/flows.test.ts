// Flows in virtual time, with everything going wrong: nobody waits for ever, nothing comes twice.
//   PAWL_SEED=7 PAWL_SIM_SEEDS=1000   which seeds, and how many
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inMemory } from '../../support/world.ts';
import { sqliteInline } from '../../support/world-stores.ts';
import { simulateFlows } from './simulate-flows.ts';

const seedMin = Number(process.env['PAWL_SEED'] ?? 1);
const seedCount = Number(process.env['PAWL_SIM_SEEDS'] ?? 10);

test('flows come to their ends in chaos, on SQLite as in memory', async (context) => {
  let [steps, jobs, waits] = [0, 0, 0];
  for (let seed = seedMin; seed < seedMin + seedCount; seed++) {
    const report = await simulateFlows({ seed, open: sqliteInline.open });
    const tail = report.traceTail.slice(-60).join('\n');
    assert.deepEqual(report.problems, [], `seed ${seed}\n${tail}`);
    const again = await simulateFlows({ seed, open: inMemory });
    assert.equal(again.traceHash, report.traceHash, `seed ${seed} did not repeat itself`);
    steps += report.steps;
    jobs += report.jobs;
    waits += report.waits;
  }
  context.diagnostic(`${seedCount} seeds, ${steps} steps, ${jobs} jobs, ${waits} suspensions`);
  assert.ok(waits > seedCount, 'hardly anybody waited');
});
