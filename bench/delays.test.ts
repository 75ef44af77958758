import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshDatabase } from '../test/support/postgres/fresh-database.ts';
import { postgresServers } from '../test/support/postgres/servers.ts';
import { type Lateness, measureDelays } from './delays/measure.ts';
import { reportOf } from './delays/report.ts';

const OPTIONS = { jobs: 2, delayMs: { min: 5, max: 20 }, backoffMs: 10 };

test('[D6, D14] how late work begins is measured on both stores, and told', async () => {
  const database = await freshDatabase((await postgresServers()).at(-1)!);
  const found = new Map<string, Lateness>();
  try {
    for (const [label, place] of [
      ['SQLite', ':memory:'],
      ['PostgreSQL', database.url],
    ] as const) {
      found.set(label, await measureDelays({ database: place, ...OPTIONS }));
    }
  } finally {
    await database.drop();
  }
  for (const { delayed, retried } of found.values()) {
    assert.deepEqual([delayed.length, retried.length], [2, 2]);
    // Never before its time; how long after it, only an idle machine can tell.
    for (const ms of [...delayed, ...retried]) assert.ok(ms >= 0, `${ms} ms`);
  }
  const report = reportOf(found, { ...OPTIONS, command: 'npm run bench:delays', loadBefore: 4 });
  assert.match(report, /PostgreSQL: retries after 10 ms \| \d+ \| \d+ \| \d+ \|/);
  assert.match(report, /Not an idle machine/);
  assert.doesNotMatch(report, /NaN|undefined|Infinity/);
});
