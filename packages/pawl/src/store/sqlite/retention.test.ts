import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openThreaded } from '../../../../../test/support/sqlite/threaded-scene.ts';

const MAY_CHANGE = `UPDATE meta SET value = 'yes' WHERE name = 'may_change'`;

test('[R5] who may change what happened can take texts away and nothing else', async (t) => {
  const { scene, path } = await openThreaded(t);
  const error = { class: 'PermanentError', message: 'no' };
  const job = await scene.running();
  await scene.renew(job, { message: 'hello' });
  await scene.ask(await scene.read(job), { on: 'fail', error });
  const db = new DatabaseSync(path);
  t.after(() => db.close());
  const isRefused = (sql: string): void =>
    assert.throws(() => db.exec(sql), /does not change/, sql);
  const taken = [
    `UPDATE facts SET input = 'null', metadata = NULL`,
    'UPDATE ended SET result = NULL',
    'UPDATE log_texts SET message = NULL',
    'UPDATE notes SET message = NULL, payload = NULL',
  ];
  taken.forEach(isRefused);
  db.exec(`BEGIN; ${MAY_CHANGE}`);
  for (const sql of taken) db.exec(sql);
  for (const sql of [
    `UPDATE facts SET input = '{"other":1}'`,
    `UPDATE facts SET input = 'null', metadata = NULL, created_at = 5`,
    'UPDATE ended SET phase = 5',
    `UPDATE ended SET result = '1'`,
    `UPDATE log_texts SET message = 'other'`,
    `UPDATE log_texts SET message = NULL, cause = 'other'`,
    `UPDATE notes SET message = 'other'`,
    `UPDATE log SET actor = 'me'`,
    'UPDATE annotations SET version = 9',
  ]) {
    if (sql.includes('annotations')) db.exec('INSERT INTO annotations VALUES (1, 2, 3, 4)');
    isRefused(sql);
  }
  db.exec('ROLLBACK');
  isRefused('DELETE FROM log');
  isRefused('DELETE FROM ended');
});
