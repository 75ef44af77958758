import pg from 'pg';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { expectAll, LIFECYCLE } from '../../core/contender.ts';
import { engineContender } from '../../core/engine-contender.ts';
import type { Plot } from '../grounds.ts';
import { nowMs, type Timed } from '../wire.ts';
import { BATCH } from './claim-and-complete.ts';
import { findPgbench, runPgbench } from './pgbench.ts';
import { claimSql, completeSql, type Numbers, SESSION } from './postgres-statements.ts';

const CONNECTIONS = 2;
const FILL_BATCH = 1_000;
const TYPE = 'raw';

/** Plain statements on Pawl's tables, through pgbench where there is one, else in a bare loop. */
export async function drainPostgresBare(plot: Plot, jobs: number): Promise<Timed> {
  await fill(plot.url, jobs);
  await plot.settle();
  const pool = new pg.Pool({ connectionString: plot.url, max: CONNECTIONS, options: SESSION });
  // Its database may be dropped before the last connection is gone.
  pool.on('error', () => undefined);
  try {
    const numbers = await numbersOf(pool);
    const pgbench = findPgbench();
    const began = nowMs();
    if (pgbench === null) {
      await Promise.all(Array.from({ length: CONNECTIONS }, () => drainInLoop(pool, numbers)));
    }
    const ms =
      pgbench === null
        ? nowMs() - began
        : await drainThrough(pgbench, { url: plot.url, numbers, jobs });
    await expectEnded(pool, jobs);
    return { jobs, ms };
  } finally {
    await pool.end();
  }
}

async function fill(url: string, jobs: number): Promise<void> {
  const store = await openPostgresStore({ url, lifecycles: builtInLifecycles });
  const engine = await engineContender(store, { label: 'fill', rows: 0, type: TYPE });
  try {
    for (let made = 0; made < jobs; made += FILL_BATCH) {
      const enqueue = await engine.enqueue(Math.min(FILL_BATCH, jobs - made));
      await enqueue();
    }
  } finally {
    await engine.close();
  }
}

async function numbersOf(pool: pg.Pool): Promise<Numbers> {
  const { rows } = await pool.query<Numbers>(
    `SELECT l.tenant, l.number AS lane, y.number AS lifecycle,
       array_position(y.states, 'pending') AS pending,
       array_position(y.states, 'running') AS running,
       array_position(y.states, 'succeeded') AS succeeded
     FROM lanes l, lifecycles y WHERE l.type = $1 AND y.name = $2`,
    [TYPE, LIFECYCLE],
  );
  return rows[0]!;
}

async function drainInLoop(pool: pg.Pool, numbers: Numbers): Promise<void> {
  const claim = { name: 'claim', text: claimSql(numbers, BATCH) };
  const complete = { name: 'complete', text: completeSql(numbers, '$1') };
  for (;;) {
    const { rows } = await pool.query<{ ids: string }>(claim);
    if (rows[0]!.ids === '{}') return;
    await pool.query({ ...complete, values: [rows[0]!.ids] });
  }
}

async function drainThrough(
  pgbench: string,
  { url, numbers, jobs }: { url: string; numbers: Numbers; jobs: number },
): Promise<number> {
  const line = (sql: string): string => sql.replaceAll(/\s+/g, ' ').trim();
  const claim = `${line(claimSql(numbers, BATCH))} \\gset`;
  const { ms } = await runPgbench(pgbench, {
    url,
    script: `${claim}\n${line(completeSql(numbers, ':ids'))};\n`,
    connections: CONNECTIONS,
    times: Math.ceil(jobs / BATCH / CONNECTIONS),
    pins: SESSION,
  });
  return ms;
}

async function expectEnded(pool: pg.Pool, jobs: number): Promise<void> {
  const { rows } = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM ended');
  expectAll(rows[0]!.n, jobs, 'drained by plain statements');
}
