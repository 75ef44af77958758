// Rates are the platform's, not a process's: four real processes share them on one PostgreSQL.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { openWorld } from '../support/world.ts';

const PROCESSES = 4;
/** Jobs of each type and user that each process makes. */
const QUOTA = 2;
/** So many that processes which go through them side by side meet at their last tokens. */
const USERS = Array.from({ length: 24 }, (_, index) => `user-${index}`);
/** No token comes again while the test runs: what was started is what the rate allows at once. */
const DAY_MS = 86_400_000;
const PER_USER = 2;
const PER_ORGANISATION = 12;
const PACE = { max: 2, perMs: 500 };

const TYPES = {
  byUser: { lifecycle: 'task', limits: { rate: { perUser: { max: PER_USER, perMs: DAY_MS } } } },
  byTenant: {
    lifecycle: 'task',
    limits: { rate: { perOrganisation: { max: PER_ORGANISATION, perMs: DAY_MS } } },
  },
  both: {
    lifecycle: 'task',
    limits: {
      rate: {
        perUser: { max: PER_USER, perMs: DAY_MS },
        perOrganisation: { max: PER_ORGANISATION, perMs: DAY_MS },
      },
    },
  },
  paced: { lifecycle: 'task', limits: { rate: { perUser: PACE } } },
};

async function run(url: string): Promise<void> {
  const program = fileURLToPath(new URL('rate-claimer-process.ts', import.meta.url));
  const children = await Promise.all(
    Array.from({ length: PROCESSES }, async (_, index) => {
      const args = [program, url, `p${index}`, USERS.join(','), String(QUOTA)];
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      assert.equal((await lines.next()).value, 'ready');
      return { child, lines };
    }),
  );
  for (const { child } of children) child.stdin.write('go\n');
  for (const { lines } of children) assert.equal((await lines.next()).value, 'done');
}

interface Turn {
  readonly from: number;
  readonly to: number;
}

/** Each turn of a user's jobs, from the claim to its end, in the order of the claims. */
async function turnsOf(url: string, type: string): Promise<Map<string, Turn[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const ms = (time: string): string => `(extract(epoch FROM ${time}) * 1000)::float8`;
  const { rows } = await client.query<Turn & { user: string }>(
    `SELECT j.requested_by AS user, ${ms('e.ts')} AS from, ${ms('j.completed_at')} AS to
     FROM pawl.job_events e JOIN pawl.jobs j ON j.id = e.job_id
     WHERE j.type = $1 AND e.type = 'job_claimed' ORDER BY e.ts`,
    [type],
  );
  await client.end();
  return Map.groupBy(rows, ({ user }) => user);
}

/**
 * Every pair of turns as a window: how far the worst exceeds max + T·max/perMs. A claim is dated
 * when it begins, so a window that is sure to hold the starts goes on to the end of their turns.
 */
function excess(turns: readonly Turn[], { max, perMs }: typeof PACE): number {
  let worst = -Infinity;
  turns.forEach(({ from }, first) => {
    let end = 0;
    turns.slice(first).forEach(({ to }, more) => {
      end = Math.max(end, to);
      worst = Math.max(worst, more + 1 - max - ((end - from) * max) / perMs);
    });
  });
  return worst;
}

for (const server of await postgresServers()) {
  test(`[T12] on ${server.label}: four processes start what a user and a tenant may, exactly`, async () => {
    const database = await freshDatabase(server);
    const { url } = database;
    const store = await openPostgresStore({ url, lifecycles });
    await openWorld({ store: async () => store, types: TYPES });
    await run(url);
    const counts: Record<string, number[]> = {};
    for (const type of ['byUser', 'byTenant', 'both'] as const) {
      const turns = await turnsOf(url, type);
      counts[type] = USERS.map((user) => turns.get(user)?.length ?? 0);
    }
    assert.deepEqual(new Set(counts['byUser']), new Set([PER_USER]));
    assert.equal(sum(counts['byTenant']!), PER_ORGANISATION);
    assert.equal(sum(counts['both']!), PER_ORGANISATION);
    assert.ok(counts['both']!.every((count) => count <= PER_USER));
    const paced = await turnsOf(url, 'paced');
    for (const user of USERS) {
      assert.equal(paced.get(user)!.length, QUOTA * PROCESSES, 'every job had its turn');
      assert.ok(excess(paced.get(user)!, PACE) <= 0, `${user} had more in some window`);
    }
    await store.close();
    await database.drop();
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
