import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planOf } from 'pawl/internal/engine/what-if/plan';
import { simulate } from 'pawl/internal/engine/what-if/simulate';
import type { Stretch } from 'pawl/internal/engine/what-if/stretch';
import type { Timeline } from 'pawl/internal/engine/what-if/timeline';
import { realStores } from '../support/real-stores.ts';
import { inMemory } from '../support/world.ts';
import { randomLoad, recordedLoad } from './what-if-fixture.ts';

const stores = [{ label: 'memory', open: inMemory }, ...(await realStores())];

/** Every attempt as text, from the beginning of the stretch on. */
function told(jobs: readonly Timeline[], { from }: Stretch): string[] {
  const since = (at: number | null): string => (at === null ? '-' : String(at - from));
  const lines = jobs.map(({ type, queue, attempts }) => {
    const times = attempts.map(({ dueAt, startedAt, endedAt }) =>
      [dueAt, startedAt, endedAt].map(since).join(' '),
    );
    return `${queue} ${type}: ${times.join(', ')}`;
  });
  return lines.toSorted();
}

for (const { label, open } of stores) {
  test(`on ${label}: a recorded stretch is replayed as it was, attempt for attempt`, async () => {
    const stretch = await recordedLoad(randomLoad(1, 60), open);
    assert.equal(stretch.jobs.length, 60);
    assert.deepEqual(
      told(simulate({ ...stretch, jobs: planOf(stretch) }), stretch),
      told(stretch.jobs, stretch),
    );
  });
}
