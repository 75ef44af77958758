import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isUuid } from 'pawl/internal/core/uuid';
import { inputHere, type TypesHere } from './here.ts';
import { commandOf, planSchedules } from './schedules.ts';
import type { Source, SourceJob, SourceSchedule } from './source.ts';
import { idOf, wishOf } from './import-request.ts';

const JOB: SourceJob = {
  kind: 'mail/welcome',
  queue: 'mail',
  id: '17',
  createdAt: 1_700_000_000_000,
  runAt: 1_700_000_000_500,
  input: { to: 'Ada' },
  inexact: null,
  priority: 0,
  attemptsMade: 0,
  attemptsMax: 1,
  key: null,
  unique: null,
  documentId: null,
};

describe('the id of a moved job', () => {
  test('is the same whenever it is derived, and its birth is in it', () => {
    const id = idOf('bullmq', JOB);
    assert.ok(isUuid(id));
    assert.equal(idOf('bullmq', { ...JOB, input: {}, runAt: 0, priority: 9 }), id);
    assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), JOB.createdAt);
  });

  test('is another one for another system, queue, id or birth', () => {
    const ids = [
      idOf('bullmq', JOB),
      idOf('pg-boss', JOB),
      idOf('bullmq', { ...JOB, queue: 'post' }),
      idOf('bullmq', { ...JOB, id: '18' }),
      idOf('bullmq', { ...JOB, createdAt: JOB.createdAt + 1 }),
    ];
    assert.equal(new Set(ids).size, ids.length);
  });
});

test('priorities beyond what there is here are cut, and long labels too', () => {
  const wish = wishOf('bullmq', { ...JOB, priority: -2_000_000, id: 'x'.repeat(600) }, 'welcome');
  assert.equal(wish.priority, -32_767);
  assert.equal(wish.correlationId?.length, 512);
  assert.equal(wish.runAt, '2023-11-14T22:13:20.500Z');
});

test('an empty payload is left out for a type that takes no input, and for no other', () => {
  const retry = { maxAttempts: 3, backoff: { kind: 'fixed', baseMs: 0 } } as const;
  const here: TypesHere = new Map([
    ['tidy', { retry, inputSchema: false }],
    ['welcome', { retry }],
  ]);
  assert.equal(inputHere(here, 'tidy', {}), null);
  assert.deepEqual(inputHere(here, 'tidy', { all: true }), { all: true });
  assert.deepEqual(inputHere(here, 'tidy', []), []);
  assert.deepEqual(inputHere(here, 'welcome', {}), {});
  assert.deepEqual(inputHere(here, 'unknown', {}), {});
});

test('the command that makes a schedule survives a shell, and names that are none', async () => {
  const schedule: SourceSchedule = {
    kind: 'mail/welcome',
    queue: 'mail',
    key: 'every night!',
    input: { note: "it's" },
    inexact: null,
    text: '',
    rule: { kind: 'interval', everyMs: 60_000 },
  };
  const source = { schedules: () => Promise.resolve([schedule]) } as unknown as Source;
  const [plan] = await planSchedules(source, { types: new Map(), here: new Map() });
  const rule = '{"kind":"interval","everyMs":60000}';
  const job = String.raw`{"type":"welcome","input":{"note":"it'\''s"}}`;
  const command = `pawl schedules put mail.every-night- -d '{"rule":${rule},"job":${job}}'`;
  assert.equal(commandOf(plan!), command);
});
