// The loads of `npm run proof:load`, small: that they do their work and can fail is shown here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runBacklog } from './backlog.ts';
import { openGround } from './ground.ts';
import { runHerd, SPREAD_MS } from './herd.ts';

test('[F54] jobs that all come due in one second all begin and end, small tenants among the first', async () => {
  const ground = await openGround('sqlite');
  try {
    const { violations, finishedMs } = await runHerd(ground, 2_000, SPREAD_MS);
    assert.deepEqual(violations, []);
    assert.ok(Number.isFinite(finishedMs));
  } finally {
    await ground.close();
  }
});

test('[F55] claims are measured in turns, with a small and with a large backlog', async () => {
  const grounds = [await openGround('sqlite'), await openGround('sqlite')];
  try {
    const asked = { sizes: [500, 3_000], claims: 10, say: () => undefined };
    const { steps, growth } = await runBacklog(grounds, asked);
    assert.deepEqual(
      steps.map(({ waiting }) => waiting),
      [500, 3_000],
    );
    assert.ok(growth > 0 && Number.isFinite(growth));
  } finally {
    for (const ground of grounds) await ground.close();
  }
});
