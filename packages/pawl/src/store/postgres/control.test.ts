import assert from 'node:assert/strict';
import { onEveryServer } from '../../../../../test/support/postgres/store-fixture.ts';
import { limitPolicyOf } from '../../core/limits.ts';
import type { PostgresStore } from './store.ts';

const USERS = ['ada', 'bob', 'eve', 'ivy'];
const MAX = 3;
/** All tokens are there again after a minute, when a limiter may first be forgotten. */
const LIMITS = limitPolicyOf({ rate: { perUser: { max: MAX, perMs: 60_000 } } })!;

async function trimAll(store: PostgresStore): Promise<number> {
  let total = 0;
  let after: string | null = null;
  do {
    const { trimmed, next } = await store.control.trimRates({ after, limit: 2 });
    total += trimmed;
    after = next;
  } while (after !== null);
  return total;
}

await onEveryServer(
  '[T12] limiters are forgotten while others start jobs, and nobody gets a token more or less',
  async (fixture) => {
    const store = await fixture.open();
    const others = [await fixture.open({ poolSize: 2 }), await fixture.open({ poolSize: 2 })];
    const scene = fixture.scene(store);
    await scene.type('ai', 'task', { limits: LIMITS });
    let trimmed = 0;
    for (let round = 0; round < 15; round++) {
      const started: string[] = [];
      const take = async (from: PostgresStore): Promise<void> => {
        for (const { job } of await from.claim(scene.claimRequest({ max: 4 }))) {
          started.push(job.requestedBy!);
        }
      };
      const jobs = await Promise.all(
        [...USERS, ...USERS, ...USERS, ...USERS].map((requestedBy) =>
          scene.newJob({ type: 'ai', requestedBy }),
        ),
      );
      const work = jobs.map(async (job) => {
        await store.insert([job]);
        await Promise.all(others.map(take));
      });
      const trims = others.map(async (other) => (trimmed += await trimAll(other)));
      await Promise.all([...work, ...trims]);
      for (let last = -1; last !== started.length;) {
        last = started.length;
        await take(store);
      }
      const expected = Object.fromEntries(USERS.map((user) => [user, MAX]));
      const counts = Object.fromEntries(
        USERS.map((user) => [user, started.filter((one) => one === user).length]),
      );
      assert.deepEqual(counts, expected, `in round ${round}`);
      // The fourth of each waits; it has its turn before the next ones come.
      fixture.clock.advance(60_000);
      await store.due(100);
      await take(store);
      fixture.clock.advance(60_000);
    }
    assert.ok(trimmed > 0, 'some were forgotten meanwhile');
    const client = await fixture.connect();
    fixture.clock.advance(60_000);
    await trimAll(store);
    for (const table of ['rate_levels', 'rate_starts']) {
      const { rows } = await client.query(`SELECT key FROM pawl.${table}`);
      assert.deepEqual(rows, [], `nothing is left in ${table}`);
    }
  },
);
