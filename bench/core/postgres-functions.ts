import type pg from 'pg';
import { builtInLifecycles } from '../../src/lifecycles/built-in.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { type Call, type Contender, expectAll, inBatches, RAW_TYPE } from './contender.ts';
import { BenchEngine } from './engine-contender.ts';
import { type Said, TappedPool } from './tapped-pool.ts';

/**
 * The ceiling of the store: its own statements, put together by the store itself beforehand and
 * then sent by a bare loop.
 */
export async function functionsContender(pool: pg.Pool, rows: number): Promise<Contender> {
  const tap = new TappedPool(pool);
  const store = await openPostgresStore({ pool: tap.asPool(), lifecycles: builtInLifecycles });
  const engine = await BenchEngine.open(store, RAW_TYPE);
  const claims = new Map<number, Said>();
  const completionsOf = async (won: Won, batch: number): Promise<Call[]> => {
    const held =
      won.rows.length === 0 ? [] : await tap.answer(won.rows, () => engine.claim(won.max));
    const calls: Call[] = [];
    for (const some of inBatches(held, batch)) {
      const said = await tap.overhear(() => engine.complete(some));
      calls.push(async () => {
        const { rowCount } = await pool.query(said);
        expectAll(rowCount ?? 0, some.length, 'completed');
      });
    }
    return calls;
  };
  return {
    label: 'SQL functions, bare loop',
    rows,
    async enqueue(size) {
      const said = await tap.overhear(() => engine.enqueue(engine.requests(size)));
      return async () => {
        await pool.query(said);
      };
    },
    async claim(max) {
      const said = claims.get(max) ?? (await tap.overhear(() => engine.claim(max)));
      claims.set(max, said);
      const { rows: won } = await pool.query<Record<string, unknown>>(said);
      const completions = (batch: number): Promise<Call[]> =>
        completionsOf({ rows: won, max }, batch);
      return { size: won.length, completions };
    },
    async close() {
      await store.close();
      await pool.end();
    },
  };
}

/** What a claim of up to `max` was answered with. */
interface Won {
  readonly rows: readonly Record<string, unknown>[];
  readonly max: number;
}
