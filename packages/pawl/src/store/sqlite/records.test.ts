import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../../core/clock.ts';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { insertCall, openFixture } from '../../../../../test/support/sqlite/writer-fixture.ts';
import type { RecordKind, RecordOp, RecordQuery } from '../records.ts';
import { InlineHost } from './host.ts';
import { SqliteStore } from './store.ts';
import type { Answer, Call } from './verbs.ts';
import { Writer } from './writer.ts';

const page: RecordKind = { name: 'page', tags: ['colour', 'shape', 'size', 'state'] };

function put(id: string, more: Partial<Extract<RecordOp, { op: 'put' }>> = {}): RecordOp {
  return { op: 'put', kind: page, tenant: 't', id, body: '{}', ...more };
}

function write(...ops: RecordOp[]): Call {
  return { verb: 'writeRecords', args: [ops], now: 1 };
}

function kindOf(answer: Answer): unknown {
  if ('failure' in answer) return answer.failure.outcome;
  const { value } = answer as { value: { kind: string } | { kind: string }[] };
  return Array.isArray(value) ? value[0]!.kind : value.kind;
}

describe('group commit of records', () => {
  test('writes share a commit with jobs, and one that is refused takes nothing back', async (t) => {
    const { writer, outside, jobs } = await openFixture(t, async (scene) => [await scene.newJob()]);
    const answers = writer.run([
      write(put('a'), put('b')),
      insertCall(jobs[0]!),
      write(put('c'), put('a', { expected: 'absent' })),
      write(put('a', { expected: { version: 1 } })),
    ]);
    assert.deepEqual(answers.map(kindOf), ['written', 'created', 'refused', 'written']);
    const rows = outside.prepare(`SELECT id, version FROM records WHERE kind = 'page'`).all();
    assert.deepEqual(
      rows.map((row) => [row['id'], row['version']]),
      [
        ['a', 2],
        ['b', 1],
      ],
    );
    assert.equal(outside.prepare('SELECT count(*) AS n FROM jobs').get()!['n'], 1);
  });

  test('one that fails half-way is taken back alone and as a whole', async (t) => {
    const { writer, outside, jobs } = await openFixture(t, async (scene) => [await scene.newJob()]);
    const bad = { ...jobs[0]!, lifecycle: 'unheard of' };
    const along: Call = { verb: 'insertWith', args: [[bad], [put('c')]], now: 1 };
    const add: RecordOp = { op: 'add', kind: page, tenant: 't', id: 'a', members: { n: 1 } };
    const answers = writer.run([
      write(put('a', { body: '"no numbers"' })),
      write(put('b'), add),
      along,
      insertCall(jobs[0]!),
    ]);
    assert.deepEqual(answers.map(kindOf), ['written', 'refused', 'refused', 'created']);
    const rows = outside.prepare(`SELECT id FROM records WHERE kind = 'page'`).all();
    assert.deepEqual(
      rows.map((row) => row['id']),
      ['a'],
    );
  });
});

const LISTS: Readonly<Record<string, [query: Partial<RecordQuery>, index: string]>> = {
  'by id': [{ after: 'a' }, 'sqlite_autoindex_records_1'],
  'the last first': [{ order: 'descending', before: 'z' }, 'sqlite_autoindex_records_1'],
  'by a tag': [{ tags: { size: 's' } }, 'records_tag_3'],
  'by a tag, of all tenants': [{ tenants: null, tags: { colour: 'c' } }, 'records_tag_1'],
  'of a job': [{ jobId: 'j' }, 'records_job'],
  'what is due': [{ tenants: null, due: { to: 'now' }, order: 'due' }, 'records_due'],
  'what is due in a time': [{ tenants: null, due: { from: 1, to: 2 } }, 'records_due'],
};

test('records are found by an index', async () => {
  const writer = new Writer({ path: ':memory:', lifecycles, synchronous: 'full' });
  const store = new SqliteStore(new InlineHost(writer), {
    path: ':memory:',
    clock: new ManualClock(),
  });
  const { connection } = writer.tools;
  const known = new Set(connection.texts);
  for (const [title, [query, index]] of Object.entries(LISTS)) {
    await store.records.list({ kind: page, tenants: ['t'], limit: 5, ...query });
    const text = connection.texts.find((one) => !known.has(one) && one.includes('FROM records'))!;
    known.add(text);
    const plan = connection.db.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
    const [scan] = plan.map((row) => String(row['detail']));
    assert.match(scan!, new RegExp(`^SEARCH records USING INDEX ${index} `), title);
  }
  await store.close();
});
