import assert from 'node:assert/strict';
import { onEveryServer } from '../../../test/support/postgres/store-room.ts';

// A writer looks at the clock, then waits for the row: what it waited for is younger than its look.
const LOOKED_EARLIER_MS = 5;

await onEveryServer('no event of a job is older than the one before it', async (room) => {
  const scene = room.scene(await room.open());
  for (const ending of ['succeed', 'fail'] as const) {
    const job = await scene.running();
    room.clock.advance(1_000);
    await scene.renew(job);
    room.clock.advance(-LOOKED_EARLIER_MS);
    await scene.renew(job);
    room.clock.advance(-LOOKED_EARLIER_MS);
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
