import assert from 'node:assert/strict';
import { onEveryServer } from '../../../../../test/support/postgres/store-fixture.ts';
import { fieldsOf } from './composite.ts';

const ROWS: readonly (readonly (string | null)[])[] = [
  ['plain', '1', null],
  [null, null, null],
  ['', 'a,b', '(c)'],
  ['"', '""', '\\'],
  ['\\"', ' ', 'a "b" \\n\n\t'],
  ['{"a":["\\"",null]}', 'ä€😀', ','],
];

await onEveryServer(
  'a composite value is taken apart as the server put it together',
  async (fixture) => {
    const client = await fixture.connect();
    for (const row of ROWS) {
      const { rows } = await client.query<{ text: string }>(
        'SELECT ROW($1::text, $2::text, $3::text)::text AS text',
        [...row],
      );
      assert.deepEqual(fieldsOf(rows[0]!.text), row);
    }
  },
);
