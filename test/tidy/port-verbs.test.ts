import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'pawl/internal/core/clock';
import { MemoryStore } from 'pawl/internal/store/memory/store';

/** A verb is written three times and tested on every store: one more is a decision. */
const VERBS_MAX = { jobs: 28, records: 4, control: 3, maintenance: 8 } as const;

/** Methods that are no verbs of the port: its end, and where faults are planted. */
const NO_VERBS = new Set(['constructor', 'close', 'transact']);

test('the port to a database has no more verbs than its budget', () => {
  const store = new MemoryStore({ lifecycles: [], clock: new ManualClock() });
  const jobs = Object.getOwnPropertyNames(MemoryStore.prototype).filter(
    (name) => !NO_VERBS.has(name),
  );
  const { records, control, maintenance } = store;
  const verbs = {
    jobs,
    records: Object.keys(records),
    control: Object.keys(control),
    maintenance: Object.keys(maintenance),
  };
  for (const [half, most] of Object.entries(VERBS_MAX)) {
    const names = verbs[half as keyof typeof VERBS_MAX];
    assert.equal(names.length, most, `${half}: ${names.join(', ')}; VERBS_MAX is kept exact`);
  }
});
