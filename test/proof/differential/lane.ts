// A PostgreSQL store for race after race: one database, emptied in between, on connections that
// stay. To build a schema and to warm up its functions takes longer than a race in it.
import pg from 'pg';
import { ManualClock } from 'pawl/internal/core/clock';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { freshDatabase } from '../../support/postgres/fresh-database.ts';
import type { PostgresServer } from '../../support/postgres/servers.ts';
import type { OpenStore } from '../../support/world.ts';

/** A race asks for two things at once at most. */
const CONNECTIONS = 2;

/** Has every statement planned once only: planning takes longer than the few rows of a race. */
class PlanningOnce extends pg.Client {
  readonly #names = new Map<string, string>();

  override query: pg.Client['query'] = ((config: unknown, ...rest: unknown[]) => {
    const query = super.query.bind(this) as (...args: unknown[]) => unknown;
    // One without values may be several statements, which cannot be planned ahead.
    const { text = '', values = [] } = config as { text?: string; values?: unknown[] };
    if (values.length === 0) return query(config, ...rest);
    const name = this.#names.get(text) ?? `plan_${this.#names.size}`;
    this.#names.set(text, name);
    return query({ ...(config as object), name }, ...rest);
  }) as pg.Client['query'];
}

/** Where one race at a time is run. */
export interface Lane {
  readonly label: string;
  /** An empty store, if the one before it is closed. */
  readonly open: OpenStore;
  end(): Promise<void>;
}

export async function openLane(server: PostgresServer): Promise<Lane> {
  const database = await freshDatabase(server);
  const pool = new pg.Pool({
    connectionString: database.url,
    max: CONNECTIONS,
    Client: PlanningOnce,
  });
  // The database is dropped while connections to it may still be open.
  pool.on('error', () => undefined);
  const end = async (): Promise<void> => {
    await pool.end();
    await database.drop();
  };
  try {
    const clock = new ManualClock();
    await (await openPostgresStore({ pool, clock, lifecycles: builtInLifecycles })).close();
    const emptying = await emptyingOf(pool);
    const open: OpenStore = async (ports) => {
      await pool.query(emptying);
      return openPostgresStore({ pool, ...ports });
    };
    return { label: server.label, open, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Empties what is empty in a new schema: the rest is the schema's own, and no job changes it. */
async function emptyingOf(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relnamespace = 'pawl'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  const deletions: string[] = [];
  for (const { name } of rows) {
    const { rowCount } = await pool.query(`SELECT FROM ${name} LIMIT 1`);
    if (rowCount === 0) deletions.push(`DELETE FROM ${name}`);
  }
  // The guards of the tables, which are triggers, let nothing go before its time.
  const unguarded = `SET LOCAL session_replication_role = replica`;
  return ['BEGIN', unguarded, ...deletions, 'COMMIT'].join(';\n');
}
