// A process dies between any two statements of a purge that makes, closes, carries and drops
// partitions and goes on in another part of the log; its successor must find a sound store.
import pg from 'pg';
import { checkJob } from '../../../src/check/check-job.ts';
import { ManualClock } from '../../../src/core/clock.ts';
import type { Job } from '../../../src/core/job.ts';
import { builtInLifecycles as lifecycles } from '../../../src/lifecycles/built-in.ts';
import type { Purge } from '../../../src/store/retention.ts';
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/store.ts';
import { freshDatabase } from '../../support/postgres/fresh-database.ts';
import { type PostgresServer, postgresServers } from '../../support/postgres/servers.ts';
import { Scene } from '../../store/suite/scene.ts';
import type { CrashReport } from './crash.ts';

const DAY = 86_400_000;

/** Ends its connection at a statement, and every later one: whoever made it is gone. */
function dyingPool(url: string, at: number, when: 'before' | 'after') {
  const state = { isCounting: false, count: 0, isDead: false };
  class DyingClient extends pg.Client {
    override query(...args: never[]): never {
      const run = super.query.bind(this) as (...args: never[]) => Promise<unknown>;
      if (state.isDead) return Promise.reject(new Error('the process is gone')) as never;
      if (state.isCounting) state.count += 1;
      if (state.count !== at || !state.isCounting) return run(...args) as never;
      state.isDead = true;
      const die = (): never => {
        (this as unknown as { connection: pg.Connection }).connection.stream.destroy();
        throw new Error('the process is gone');
      };
      const done = when === 'before' ? Promise.resolve() : run(...args);
      return done.then(die, die) as never;
    }
  }
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  Object.assign(pool, { Client: DyingClient });
  pool.on('error', () => {});
  return { pool, state };
}

/** A database in which all is due: jobs that go, jobs that are carried on, a log that ends. */
interface Filled {
  readonly url: string;
  readonly clock: ManualClock;
  readonly scene: (store: PostgresStore) => Scene;
  readonly cuts: Purge;
  readonly open: Job;
  readonly late: Job;
  readonly gone: Job;
}

async function fill(url: string): Promise<Filled> {
  const clock = new ManualClock();
  const store = await openPostgresStore({ url, clock, lifecycles });
  const scene = new Scene({ store, clock, lifecycles });
  const gone = await scene.ask(await scene.running(), { on: 'succeed' });
  const late = await scene.running({ type: 'distributed' });
  const open = await scene.enqueue();
  clock.advance(36 * DAY);
  const fence = { kind: 'version', version: late.version } as const;
  const ended = await scene.ask(late, { on: 'cancel', reason: 'x' }, { fence, actor: 'api' });
  await store.close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`SELECT setval('pawl.log_n', ((last_value >> 32) + 1) << 32) FROM pawl.log_n`);
  await client.end();
  const cut = clock.now() - 30 * DAY;
  const cuts = { jobs: cut, notes: cut, feed: cut, keys: cut, limit: 100 };
  const again = (other: PostgresStore): Scene =>
    Object.assign(new Scene({ store: other, clock, lifecycles }), { tenant: scene.tenant });
  return { url, clock, scene: again, cuts, open, late: ended, gone };
}

async function purgeAll(store: PostgresStore, cuts: Purge): Promise<void> {
  while ((await store.purge(cuts)).hasMore);
}

/** What the successor finds, before and after it has done the work. */
async function judge(filled: Filled, url: string): Promise<string[]> {
  const { clock, cuts, open, late, gone } = filled;
  const store = await openPostgresStore({ url, clock, lifecycles });
  const found: string[] = [];
  const scene = filled.scene(store);
  const look = async (when: string): Promise<void> => {
    found.push(...(await store.maintenance.quickCheck()).map((one) => `${when}: ${one}`));
    for (const ref of [open, late]) {
      const [job] = await store.read([ref]);
      if (!job) found.push(`${when}: job ${ref.id} is gone`);
      else {
        const lifecycle = scene.lifecycle(job.lifecycle);
        const [policy = null] = await store.policies([job.policy]);
        const laws = checkJob(job, await scene.events(job), {
          lifecycle,
          policy,
          areNotesKept: false,
        });
        found.push(...laws.map(({ message }) => `${when}: ${job.id}: ${message}`));
      }
    }
  };
  await look('before');
  await purgeAll(store, cuts);
  await look('after');
  if ((await store.read([gone]))[0]) found.push('what was due is still there');
  if ((await store.maintenance.figures()).server!.missingGuards.length > 0) {
    found.push('a guard is missing');
  }
  const job = await scene.enqueue({ type: 'document' });
  const { items } = await store.tail({ tenant: null, from: 'start', limit: 1_000 });
  if (!items.some(({ event }) => event.jobId === job.id)) found.push('the tail stands still');
  await store.close();
  return found;
}

/** Copies of one database, each for one crash. */
async function crashOn(server: PostgresServer, every: number): Promise<CrashReport> {
  const original = await freshDatabase(server);
  const filled = await fill(original.url);
  const name = new URL(original.url).pathname.slice(1);
  const violations: string[] = [];
  let crashes = 0;
  for (let at = 1, isKilled = true; isKilled; at += every) {
    for (const when of ['before', 'after'] as const) {
      const copy = await freshDatabase(server, name);
      const { pool, state } = dyingPool(copy.url, at, when);
      const { clock, cuts } = filled;
      try {
        const store = await openPostgresStore({ pool, clock, lifecycles });
        state.isCounting = true;
        await purgeAll(store, cuts);
      } catch (error) {
        if (!state.isDead) throw error;
      }
      isKilled = state.isDead;
      crashes += isKilled ? 1 : 0;
      await pool.end().catch(() => {});
      const told = await judge(filled, copy.url);
      violations.push(...told.map((one) => `${server.label}, ${when} statement ${at}: ${one}`));
      await copy.drop();
    }
  }
  await original.drop();
  return { crashes, violations };
}

/** At every `every`-th statement of a purge, before and after it, on the newest servers. */
export async function crashPartitions({
  every = 1,
  servers: count = Infinity,
}: { every?: number; servers?: number } = {}): Promise<CrashReport> {
  const violations: string[] = [];
  let crashes = 0;
  for (const server of (await postgresServers()).toReversed().slice(0, count)) {
    const report = await crashOn(server, every);
    crashes += report.crashes;
    violations.push(...report.violations);
  }
  return { crashes, violations };
}
