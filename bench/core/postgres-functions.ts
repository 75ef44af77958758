import type pg from 'pg';
import { systemClock } from '../../src/core/clock.ts';
import { systemIds } from '../../src/core/ids.ts';
import {
  type Contender,
  expectAll,
  type Holding,
  inBatches,
  INPUT,
  LIFECYCLE,
  QUEUE,
  TENANT,
} from './contender.ts';

const OWNER = 'bench-raw';
const ids = systemIds(systemClock);

export const RAW_TYPE = 'raw';

/** What a job of the benchmark refers to by number. */
export interface Numbers {
  readonly tenant: number;
  readonly lifecycle: number;
  readonly policy: number;
}

export async function numbersOf(pool: pg.Pool, schema: string): Promise<Numbers> {
  const { rows } = await pool.query<Numbers>(
    `SELECT n.id AS tenant, l.id AS lifecycle, t.policy FROM ${schema}.types t
     JOIN ${schema}.tenants n ON n.id = t.tenant_id, ${schema}.lifecycles l
     WHERE n.name = $1 AND t.type = $2 AND l.name = $3`,
    [TENANT, RAW_TYPE, LIFECYCLE],
  );
  if (rows[0] === undefined) throw new Error(`schema ${schema} has no type ${RAW_TYPE}`);
  return rows[0];
}

/** The ceiling of the store: its SQL functions called with arguments that lie ready. */
export function functionsContender(
  pool: pg.Pool,
  given: { rows: number; numbers: Numbers },
): Contender {
  const { rows, numbers } = given;
  return {
    label: 'SQL functions, bare loop',
    rows,
    enqueue(size) {
      const text = JSON.stringify(Array.from({ length: size }, (_, ord) => newJob(numbers, ord)));
      return async () => {
        await pool.query({
          name: 'bench-insert',
          text: 'SELECT * FROM pawl.insert_v1($1, $2, $3, $4)',
          values: [text, null, 100, null],
        });
      };
    },
    claim: (max) => claim(pool, numbers, max),
    close: () => pool.end(),
  };
}

function newJob({ tenant, lifecycle, policy }: Numbers, ord: number): object {
  return {
    ord,
    tenant,
    id: ids.next(),
    type: RAW_TYPE,
    queue: QUEUE,
    lifecycle,
    policy,
    max_attempts: 3,
    state: 'pending',
    phase: 1,
    born_state: 'pending',
    born_phase: 1,
    version: 1,
    priority: 0,
    input: JSON.stringify(INPUT),
    actor: 'api',
  };
}

async function claim(pool: pg.Pool, numbers: Numbers, max: number): Promise<Holding> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'bench-claim',
    text: 'SELECT * FROM pawl.claim_v1($1, $2, $3, $4, $5, $6, $7, $8)',
    values: [OWNER, `worker:${OWNER}`, [RAW_TYPE], max, null, null, null, null],
  });
  return {
    size: rows.length,
    completions: (batch) =>
      inBatches(rows, batch).map((some) => {
        const text = JSON.stringify(some.map(({ id }, ord) => success(numbers, id, ord)));
        return async () => {
          const { rowCount } = await pool.query({
            name: 'bench-apply',
            text: 'SELECT * FROM pawl.apply_v1($1, $2, $3)',
            values: [text, null, null],
          });
          expectAll(rowCount ?? 0, some.length, 'completed');
        };
      }),
  };
}

function success({ tenant }: Numbers, id: string, ord: number): object {
  return {
    ord,
    tenant,
    id,
    state: 'running',
    phase: 3,
    epoch: 1,
    owner: OWNER,
    actor: `worker:${OWNER}`,
    to_state: 'succeeded',
    to_phase: 5,
    to_epoch: 1,
    quiet: false,
    attempts: 1,
    retry_count: 0,
    delay_ms: 0,
    clears: true,
    event: 'job_succeeded',
  };
}
