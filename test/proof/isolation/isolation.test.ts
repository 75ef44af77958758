// Verbs whose transactions overlap, step by step. The whole of it is `npm run proof:isolation`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshDatabase } from '../../support/postgres/fresh-database.ts';
import { postgresServers } from '../../support/postgres/servers.ts';
import { Ground } from './ground.ts';
import { groupsOf, ordersOf } from './orders.ts';
import { runRace } from './race.ts';

/** Pairs that have to wait for each other, and threes around one job. */
const RACES: readonly (readonly string[])[] = [
  ['insert', 'caller inserts'],
  ['succeed', 'cancel'],
  ['succeed', 'carry jobs'],
  ['cancel', 'carry jobs'],
  ['claim', 'carry jobs'],
  ['succeed', 'renew', 'cancel'],
  ['claim', 'succeed and claim', 'insert, document'],
];

test('every order of steps is tried once, each session in its own order', () => {
  const orders = ordersOf(2, 2).map((order) => order.join(''));
  assert.deepEqual(orders, ['0011', '0101', '0110', '1001', '1010', '1100']);
  assert.equal(ordersOf(3, 2).length, 90);
  assert.deepEqual(groupsOf(['a', 'b'], 2), [
    ['a', 'a'],
    ['a', 'b'],
    ['b', 'b'],
  ]);
});

for (const server of await postgresServers()) {
  test(`verbs that overlap keep every law, whoever comes first (${server.label})`, async () => {
    const database = await freshDatabase(server);
    const ground = await Ground.open(database.url, 3);
    let waited = 0;
    for (const names of RACES) {
      // Two orders of each: the second begins before the first has committed, and the other way.
      const orders = ordersOf(names.length, 2);
      for (const order of [orders[1]!, orders.at(-2)!]) {
        const report = await runRace(ground, names, order);
        assert.deepEqual(report.violations, []);
        waited += report.waited;
      }
    }
    assert.ok(waited > 3, `${waited} waits: nothing overlapped`);
    await ground.close();
    await database.drop();
  });
}
