// A small fleet and a few faults: `npm run proof:fleet -- --faults 100` is the long one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { campaign } from './campaign.ts';

const BRIEF = { seed: 1, faultsPerRound: 12, lanes: 2, isTimeLeft: () => true };

for (const [store, faults] of [
  ['postgres', 12],
  ['sqlite', 6],
] as const) {
  test(
    `[R24, R25, P1, P2] a fleet on ${store} under attack loses nothing that was acknowledged`,
    { timeout: 400_000 },
    async (context) => {
      const say = (line: string): void => context.diagnostic(line);
      const found = await campaign({ ...BRIEF, faults, jobs: 40 * faults, stores: [store], say });
      assert.deepEqual(found.violations, []);
      assert.deepEqual([found.lost, found.unexpected], [0, 0]);
      assert.ok(found.acknowledged > 100, `${found.acknowledged} were acknowledged`);
    },
  );
}
