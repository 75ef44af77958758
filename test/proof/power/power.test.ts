// What the disk held at one moment, mounted again: `npm run proof:power` cuts more often.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutPower, cutPowerWeakly, whyNotHere } from './power-cut.ts';

const reason = whyNotHere();
const skip = reason === null ? {} : { skip: reason };

for (const store of ['sqlite', 'postgres'] as const) {
  test(
    `[P1, P2] an acknowledged job survives a power cut with the default setting (${store})`,
    skip,
    async () => {
      const found = await cutPower({ store, setting: 'full', wanted: 60 });
      const { acknowledged, lost, damage } = found;
      assert.ok(acknowledged >= 60, `${acknowledged} were acknowledged`);
      assert.deepEqual({ lost, damage }, { lost: 0, damage: [] });
    },
  );

  test(
    `the cut is a real one: with the weaker setting it takes acknowledged jobs (${store})`,
    skip,
    async () => {
      const { lost } = await cutPowerWeakly(store);
      assert.ok(lost > 0, 'nothing was lost');
    },
  );
}
