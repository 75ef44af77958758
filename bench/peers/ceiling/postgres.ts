import pg from 'pg';
import { builtInLifecycles } from '../../../src/lifecycles/built-in.ts';
import { openPostgresStore } from '../../../src/store/postgres/store.ts';
import { RAW_TYPE } from '../../core/contender.ts';
import { engineContender } from '../../core/engine-contender.ts';
import { bareContender, bareDrainSql, numbersOf, PINS } from '../../core/postgres-bare.ts';
import { VARIANTS } from '../../core/safeties.ts';
import type { Plot } from '../grounds.ts';
import { nowMs, type Timed } from '../wire.ts';
import { BATCH, claimAndComplete } from './claim-and-complete.ts';
import { findPgbench, runPgbench } from './pgbench.ts';

const SCHEMA = 'pawl';
const CONNECTIONS = 2;
const FILL_BATCH = 1_000;

/** Plain statements on Pawl's tables, through pgbench where there is one, else in a bare loop. */
export async function drainPostgresBare(plot: Plot, jobs: number): Promise<Timed> {
  await fill(plot.url, jobs);
  await plot.settle();
  const pool = new pg.Pool({ connectionString: plot.url, max: CONNECTIONS, options: PINS });
  // Its database may be dropped before the last connection is gone.
  pool.on('error', () => undefined);
  try {
    const numbers = await numbersOf(pool, SCHEMA);
    const pgbench = findPgbench();
    const began = nowMs();
    if (pgbench === null) {
      const bare = bareContender(pool, { schema: SCHEMA, numbers, variant: VARIANTS[0]! });
      return { jobs: await claimAndComplete(bare, jobs, CONNECTIONS), ms: nowMs() - began };
    }
    const script = bareDrainSql(numbers, BATCH);
    const times = Math.ceil(jobs / BATCH / CONNECTIONS);
    const { ms } = await runPgbench(pgbench, {
      url: plot.url,
      script,
      connections: CONNECTIONS,
      times,
      pins: PINS,
    });
    await expectEnded(pool, jobs);
    return { jobs, ms };
  } finally {
    await pool.end();
  }
}

async function fill(url: string, jobs: number): Promise<void> {
  const store = await openPostgresStore({ url, lifecycles: builtInLifecycles });
  const engine = await engineContender(store, { label: 'fill', rows: 0, type: RAW_TYPE });
  try {
    for (let made = 0; made < jobs; made += FILL_BATCH) {
      const enqueue = await engine.enqueue(Math.min(FILL_BATCH, jobs - made));
      await enqueue();
    }
  } finally {
    await engine.close();
  }
}

async function expectEnded(pool: pg.Pool, jobs: number): Promise<void> {
  const { rows } = await pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM ${SCHEMA}.jobs WHERE phase = 5`,
  );
  if (rows[0]!.n !== jobs) throw new Error(`pgbench drained ${rows[0]!.n} of ${jobs}`);
}
