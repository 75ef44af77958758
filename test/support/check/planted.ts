// Takes a true history, breaks it in one place, and asks that exactly this is found.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkHistory } from 'pawl/internal/check/check-history';
import type { HistoryInput } from 'pawl/internal/check/history';
import type { JobEvent } from 'pawl/internal/core/event';
import type { Job } from 'pawl/internal/core/job';

/** The edit must be found by the named invariant, and by no other. */
export function planted(
  invariant: string,
  title: string,
  arrange: () => Promise<{ kept: HistoryInput; broken: HistoryInput }>,
): void {
  void test(`${invariant}: ${title}`, async () => {
    const { kept, broken } = await arrange();
    assert.deepEqual(checkHistory(kept), [], 'the history was not true before it was broken');
    const found = checkHistory(broken);
    const text = found.map((one) => `${one.invariant}: ${one.message}`).join('\n');
    assert.deepEqual([...new Set(found.map((one) => one.invariant))], [invariant], text);
  });
}

export function broken(
  kept: HistoryInput,
  edit: Partial<HistoryInput>,
): { kept: HistoryInput; broken: HistoryInput } {
  return { kept, broken: { ...kept, ...edit } };
}

/** Changes the row of the only job. */
export function breakRow(
  kept: HistoryInput,
  edit: Partial<Job>,
): { kept: HistoryInput; broken: HistoryInput } {
  return broken(kept, { jobs: kept.jobs.map((job) => ({ ...job, ...edit })) });
}

/** Changes one event (or note, `[version, note]`) of the only job. */
export function breakEvent(
  kept: HistoryInput,
  key: number | readonly [version: number, note: number],
  edit: Partial<JobEvent>,
): { kept: HistoryInput; broken: HistoryInput } {
  const [version, note] = typeof key === 'number' ? [key, 0] : key;
  const events = kept.events.map((event) =>
    event.version === version && event.note === note ? { ...event, ...edit } : event,
  );
  assert.notDeepEqual(events, kept.events, 'the edit changed nothing');
  return broken(kept, { events });
}
