// The simulation on two databases, of which each is away for some time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inMemory, type OpenStore } from '../../support/world.ts';
import { sqliteInline } from '../../support/world-stores.ts';
import { PLANTED_BUGS } from '../planted-bugs.ts';
import { openPlanted } from '../planted-store.ts';
import { simulate, type SimulationReport } from '../simulate.ts';
import { TwoCells } from './two-cells.ts';

const SEEDS = 40;
const SEEDS_MAX = 500;

async function play(
  seed: number,
  open: OpenStore,
): Promise<SimulationReport & { absences: number }> {
  const site = new TwoCells(open, seed);
  const run = { seed, open: site.open, cast: 'swarm', onHealed: site.heal } as const;
  return { ...(await simulate(run)), absences: site.absences };
}

for (const { label, open } of [sqliteInline, { label: 'memory', open: inMemory }]) {
  test(`[R24, R25] a platform on two cells keeps its promises while one of them is away (${label})`, async () => {
    let absences = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const report = await play(seed, open);
      assert.deepEqual(report.problems, [], `seed ${seed}`);
      absences += report.absences;
    }
    assert.ok(absences >= SEEDS / 2, `only ${absences} absences were met`);
  });
}

test('a mistake in the store of a cell is found', async () => {
  const bug = PLANTED_BUGS['now and then an event is forgotten']!;
  for (let seed = 1; seed <= SEEDS_MAX; seed++) {
    const { problems } = await play(seed, openPlanted(bug));
    if (problems.some((problem) => bug.tells.includes(problem.split(' ')[0]!))) return;
  }
  assert.fail(`${SEEDS_MAX} seeds told nothing of it`);
});
