// A small fleet and a few faults: `npm run proof:fleet -- --faults 100` is the long one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runUnderAttack } from './fleet.ts';

test(
  '[R24, R25, P1, P2] a fleet under attack loses nothing that was acknowledged',
  { timeout: 400_000 },
  async (context) => {
    const size = { apis: 1, workers: 2, producers: 2, paceMs: 40, faultsMax: 5 };
    const found = await runUnderAttack({ seed: 1, ...size, isTimeLeft: () => true });
    const { attempted, acknowledged, recovered, duplicated, leasesLost } = found;
    const counts = { attempted, acknowledged, recovered, duplicated, leasesLost };
    context.diagnostic(JSON.stringify(counts));
    assert.deepEqual(found.violations, []);
    assert.deepEqual([found.lost, found.unexpected], [0, 0]);
    assert.ok(acknowledged > 20 && leasesLost > 0, JSON.stringify(counts));
  },
);
