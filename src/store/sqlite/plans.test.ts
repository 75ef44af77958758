import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { ManualClock } from '../../core/clock.ts';
import { Scene } from '../../../test/store/suite/scene.ts';
import type { JobQuery } from '../query.ts';
import { lettersWith } from '../../records/dead-letters.ts';
import type { Store } from '../store.ts';
import { InlineHost } from './host.ts';
import { SqliteStore } from './store.ts';
import { Writer } from './writer.ts';

/** Scans that touch only the jobs that have not ended, or a few lines at the end of a table. */
const BOUNDED = /USING (?:COVERING )?INDEX jobs_(?:claimable|timers|owned|held|aside)/;
const GROWING = /^SCAN (?:jobs|events|notes|feed|stages|records|idempotency)\b/;

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
  await scene.events(job, true);
  await store.tail({ tenant: null, from: 'start', limit: 100 });
  await store.tally(null);
  await scene.deadLetters();
  await scene.records.types.list(scene.tenant);
  for (const filter of FILTERS) await store.list({ tenant: scene.tenant, limit: 5, ...filter });
}

test('no statement reads the whole of a table that grows', async () => {
  const writer = new Writer({ path: ':memory:', lifecycles, synchronous: 'full' });
  const store = new SqliteStore(new InlineHost(writer), new ManualClock());
  await useEveryVerb(store);
  const { connection } = writer.tools;
  const texts = connection.texts.filter((text) => /^(?:SELECT|UPDATE|DELETE|INSERT)/.test(text));
  assert.ok(texts.length > 40, `only ${texts.length} statements were seen`);
  for (const text of texts) {
    const plan = connection.db.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
    const details = plan.map((row) => String(row['detail']));
    const scans = details.filter((line) => GROWING.test(line) && !BOUNDED.test(line));
    assert.deepEqual(scans, [], text);
  }
  await store.close();
});
