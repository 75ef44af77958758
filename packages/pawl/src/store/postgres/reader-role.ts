import { StoreError } from '../store-error.ts';
import type { Database, Query } from './database.ts';
import { quoteName, quoteText } from './schemas.ts';

/** The tables that lists of one tenant are read from, and the column that names the tenant. */
const TENANT_COLUMNS: Readonly<Record<string, string>> = {
  tenants: 'number',
  lanes: 'tenant',
  facts: 'tenant',
  facts_other: 'tenant',
  live: 'tenant',
  keys: 'tenant',
  details: 'tenant',
  stages: 'tenant',
  ended: 'tenant',
  ended_other: 'tenant',
  annotations: 'tenant',
  log: 'tenant',
  log_texts: 'tenant',
  log_carried: 'tenant',
  log_texts_carried: 'tenant',
  notes: 'tenant',
  positions: 'tenant',
  limits: 'tenant',
  records: 'tenant',
};

/** What every tenant may see. */
const SHARED: readonly string[] = [
  'meta',
  'lifecycles',
  'moves',
  'owners',
  'partitions',
  'policies',
  'timelines',
];

/** Whose rows the reader may see. */
const SETTING = 'pawl_reader.tenant';

/**
 * Makes a role of the operator see one tenant at a time. The owner of the tables and every other
 * role see what they saw before: the engine claims and sweeps for all tenants at once, and a policy
 * that is simply true costs its plans nothing.
 */
export async function restrictReader(
  database: Database,
  role: string,
  mayChange: boolean,
): Promise<void> {
  const missing = await missingPolicies(database, role);
  if (missing.length === 0) return;
  if (!mayChange) {
    throw new StoreError(
      'refused',
      `the role "${role}" is not restricted to one tenant on ${missing.join(', ')}: ` +
        'open the store once with a role that owns the tables',
    );
  }
  const reader = quoteName(role);
  await database.transact(async (query) => {
    await query(`SELECT pg_advisory_xact_lock(hashtextextended('pawl.reader', 0))`);
    await query(`GRANT USAGE ON SCHEMA ${database.tables}, ${database.verbs} TO ${reader}`);
    await query(`GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${database.verbs} TO ${reader}`);
    for (const table of SHARED) {
      await query(`GRANT SELECT ON ${database.tables}.${table} TO ${reader}`);
    }
    for (const table of missing) await restrictTable(query, `${database.tables}.${table}`, role);
  });
}

/** A policy a role, so that one role can take over from another. */
function policyOf(role: string): string {
  return `one_tenant_${role}`;
}

async function missingPolicies(database: Database, role: string): Promise<string[]> {
  const found = await database.read<{ name: string }>(
    `SELECT c.relname AS name FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
     WHERE c.relnamespace = $1::regnamespace AND p.polname = $2`,
    [database.tables, policyOf(role)],
  );
  const names = new Set(found.map(({ name }) => name));
  return Object.keys(TENANT_COLUMNS).filter((table) => !names.has(table));
}

async function restrictTable(query: Query, table: string, role: string): Promise<void> {
  const reader = quoteName(role);
  const policy = quoteName(policyOf(role));
  const column = TENANT_COLUMNS[table.slice(table.lastIndexOf('.') + 1)]!;
  const number = `nullif(current_setting(${quoteText(SETTING)}, true), '')::int`;
  const tenants = table.replace(/[^.]+$/, 'tenants');
  // Records name their tenant; everything else has its number.
  const tenant = table.endsWith('.records')
    ? `(SELECT t.name FROM ${tenants} t WHERE t.number = ${number})`
    : number;
  await query(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`);
  await query(`DROP POLICY IF EXISTS everyone ON ${table}`);
  await query(`CREATE POLICY everyone ON ${table} USING (true) WITH CHECK (true)`);
  await query(`DROP POLICY IF EXISTS ${policy} ON ${table}`);
  await query(
    `CREATE POLICY ${policy} ON ${table} AS RESTRICTIVE TO ${reader} USING (${column} = ${tenant})`,
  );
  await query(`GRANT SELECT ON ${table} TO ${reader}`);
}
