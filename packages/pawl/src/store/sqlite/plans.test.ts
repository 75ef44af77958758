import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { ManualClock } from '../../core/clock.ts';
import { Scene } from '../../../test/store/suite/scene.ts';
import type { JobQuery } from '../query.ts';
import { lettersWith } from '../../records/dead-letters.ts';
import type { Store } from '../store.ts';
import { InlineHost } from './host.ts';
import { STATEMENTS } from './statements.ts';
import { SqliteStore } from './store.ts';
import { Writer } from './writer.ts';

/** Scans that touch only the jobs that have not ended, or a few lines at the end of a table. */
const BOUNDED = /USING (?:COVERING )?INDEX live_(?:claim|timed|requeued|owned|aside)/;
const TABLES = 'facts|live|ended|details|stages|keys|log|log_texts|notes|positions|annotations';
/** By a table's name, or by the letter that the view of jobs has for it. */
const GROWING = new RegExp(`^SCAN (?:${TABLES}|records|idempotency_keys|f|l|e|d|w|o)\\b`);

/** These begin at one end of a table and stop after a slice, or at what is not recent. */
const ENDS_EARLY = new Set(
  ['turns', 'first_notes', 'last_n', 'last_entry'].map((name) => STATEMENTS.get(name)),
);

const FILTERS: readonly Partial<JobQuery>[] = [
  {},
  { correlationId: 'c' },
  { documentId: 'd' },
  { parentJobId: '00000000-0000-7000-8000-000000000000' },
  { phase: 'failed' },
  { phase: 'dead', documentId: 'd' },
  { before: '00000000-0000-7000-8000-000000000000', correlationId: 'c' },
  { createdFrom: 1, createdTo: 2, text: 't', error: 'e', record: lettersWith('f') },
  { documentId: 'd', text: 't' },
  { phase: 'failed', error: 'e' },
  { phase: 'executing' },
  { state: 'running', type: 'task', queue: 'default' },
];

async function useEveryVerb(store: Store): Promise<void> {
  const clock = new ManualClock();
  const scene = new Scene({ store, clock, lifecycles });
  const idempotency = { key: 'k', payloadHash: 'h', windowMs: 1_000 };
  const job = await scene.running({ type: 'distributed', idempotency });
  const stageResult = { name: 'one', result: '1' };
  await scene.renew(job, { checkpoint: '1', stageResult });
  await scene.claim({ requestId: 'r', tenants: null });
  const error = { class: 'TransientError', message: 'no' };
  await scene.ask(job, { on: 'fail', error, deadLetter: 'timeout' });
  const ends = [await scene.running(), await scene.running()].map((one, n) =>
    scene.move(one, { on: 'succeed' }, { result: `${n}` }),
  );
  await store.apply(ends);
  await store.expired(5);
  await store.stages(job);
  await store.countStages(job, null);
  await scene.events(job, true);
  await store.tail({ tenant: null, from: 'start', limit: 100 });
  await store.tally(null);
  await store.due(5);
  await store.standing(job);
  await store.depth({ tenant: scene.tenant, queue: 'default' }, 5);
  await store.owned(['w1'], scene.tenant);
  const cut = clock.now() - 1;
  await store.purge({ jobs: cut, notes: cut, feed: cut, keys: cut, limit: 5 });
  await scene.deadLetters();
  await scene.records.types.list(scene.tenant);
  for (const filter of FILTERS) await store.list({ tenant: scene.tenant, limit: 5, ...filter });
}

test('no statement reads the whole of a table that grows', async () => {
  const writer = new Writer({ path: ':memory:', lifecycles, synchronous: 'full' });
  const store = new SqliteStore(new InlineHost(writer), {
    path: ':memory:',
    clock: new ManualClock(),
  });
  await useEveryVerb(store);
  const { connection } = writer.tools;
  const texts = connection.texts.filter((text) =>
    /^(?:SELECT|UPDATE|DELETE|INSERT|REPLACE)/.test(text),
  );
  assert.ok(texts.length > 40, `only ${texts.length} statements were seen`);
  for (const text of texts) {
    const plan = connection.db.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
    const details = plan.map((row) => String(row['detail']));
    const scans = details.filter((line) => GROWING.test(line) && !BOUNDED.test(line));
    assert.deepEqual(ENDS_EARLY.has(text) ? [] : scans, [], text);
  }
  await store.close();
});
