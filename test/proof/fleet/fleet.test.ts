// A small fleet and a few faults: `npm run proof:fleet -- --faults 100` is the long one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { campaign } from './campaign.ts';
import {
  attackPlanted,
  findPlantedInFleet,
  PLANTED_IN_FLEET,
  STUBBORN_WORKERS,
} from './planted.ts';

const timeout = 600_000;
const BRIEF = { seed: 1, faultsPerRound: 20, lanes: 4, isTimeLeft: () => true };

for (const [store, faults] of [
  ['postgres', 16],
  ['sqlite', 6],
] as const) {
  test(
    `[R24, R25, P1, P2] a fleet on ${store} under attack loses nothing that was acknowledged`,
    { timeout },
    async (context) => {
      const say = (line: string): void => context.diagnostic(line);
      const found = await campaign({ ...BRIEF, faults, jobs: 40 * faults, stores: [store], say });
      assert.deepEqual(found.violations, []);
      assert.deepEqual([found.lost, found.unexpected], [0, 0]);
      assert.ok(found.acknowledged >= 40 * faults, `${found.acknowledged} were acknowledged`);
    },
  );
}

test(
  '[R7, R25] workers that ignore a lost lease do no harm to a store that asks whose report it is',
  { timeout },
  async () => {
    const { violations, duplicated, leasesLost } = await attackPlanted(STUBBORN_WORKERS, 1);
    assert.deepEqual(violations, []);
    assert.ok(duplicated > 0 && leasesLost > 0, `${duplicated} twice, ${leasesLost} leases lost`);
  },
);

test('the same workers are found out where the store does not ask', { timeout }, async () => {
  const planted = PLANTED_IN_FLEET['the store does not ask whose report it is']!;
  assert.notEqual(await findPlantedInFleet(planted), null);
});
