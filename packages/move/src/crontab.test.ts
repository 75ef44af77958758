import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCrontab } from './crontab.ts';

test('a crontab has a rule a line, with options and a payload or without', () => {
  const text = [
    '# comments and empty lines are skipped',
    '',
    '*/5 * * * * ping',
    '0 4 * * 1-5  reports/weekly ?id=week&max=3&fill=1d {"all": true, "note": "a ? b"}',
  ].join('\n');
  const found = readCrontab(text).map(({ kind, key, rule, input }) => ({ kind, key, rule, input }));
  const cron = (expression: string) => ({ kind: 'cron', expression, timeZone: 'UTC' });
  assert.deepEqual(found, [
    { kind: 'ping', key: 'ping', rule: cron('*/5 * * * *'), input: {} },
    {
      kind: 'reports/weekly',
      key: 'week',
      rule: cron('0 4 * * 1-5'),
      input: { all: true, note: 'a ? b' },
    },
  ]);
});

test('a line that is no rule is named', () => {
  assert.throws(
    () => readCrontab('\n@daily ping\n'),
    /line 2 of the crontab is not a rule: @daily/,
  );
});
