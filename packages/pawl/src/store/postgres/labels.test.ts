import assert from 'node:assert/strict';
import { onEveryServer } from '../../../../../test/support/postgres/store-fixture.ts';
import { LABEL_COLUMNS } from './labels.ts';

const COLUMNS = `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type
  FROM pg_attribute a WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY a.attnum`;

await onEveryServer('the last columns of facts are those of the labels', async (fixture) => {
  await fixture.open();
  const client = await fixture.connect();
  for (const table of ['pawl.facts', 'pawl.facts_other']) {
    const { rows } = await client.query<{ name: string; type: string }>(COLUMNS, [table]);
    const last = rows.slice(-LABEL_COLUMNS.length).map(({ name, type }) => [name, type]);
    const short = LABEL_COLUMNS.map(([name, type]) => [name, type === 'int2' ? 'smallint' : type]);
    assert.deepEqual(last, short);
  }
});
