import assert from 'node:assert/strict';
import { onEveryServer } from '../../../../../test/support/postgres/store-fixture.ts';

// A writer looks at the clock, then waits for the row: what it waited for is younger than its look.
const LOOKED_EARLIER_MS = 5;

await onEveryServer('no event of a job is older than the one before it', async (fixture) => {
  const scene = fixture.scene(await fixture.open());
  for (const ending of ['succeed', 'fail'] as const) {
    const job = await scene.running();
    fixture.clock.advance(1_000);
    await scene.renew(job);
    fixture.clock.advance(-LOOKED_EARLIER_MS);
    await scene.renew(job);
    fixture.clock.advance(-LOOKED_EARLIER_MS);
    const error = { class: 'PermanentError', message: 'never' };
    const ended = await scene.ask(
      job,
      ending === 'succeed' ? { on: ending } : { on: ending, error },
    );
    const events = await scene.events(job, true);
    const times = events.map(({ at }) => at);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.equal(ended.completedAt, times.at(-1));
  }
});
