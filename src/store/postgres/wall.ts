import { StoreError } from '../store-error.ts';
import type { Database, Query } from './pool.ts';
import { quoteName, quoteText } from './sql-text.ts';

/**
 * The tables that lists of one tenant are read from, and the column that names the tenant: by its
 * number, or where that is `tenant`, by its name.
 */
const WALLED: Readonly<Record<string, string>> = {
  tenants: 'id',
  jobs: 'tenant_id',
  events: 'tenant_id',
  notes: 'tenant_id',
  stage_results: 'tenant_id',
  records: 'tenant',
  valves: 'tenant_id',
};

/** A tenant by its number in the tables of jobs, or by its name in that of records. */
export type Walled = number | string;

/** Whose rows the reader may see; another schema's name would be put in place of `pawl.`. */
const NUMBER_SETTING = 'pawl_wall.tenant';
const NAME_SETTING = 'pawl_wall.tenant_name';

/** Begins a transaction in which only this tenant's rows are there, whatever a query asks for. */
export function enterWall(role: string, tenant: Walled): string {
  const setting =
    typeof tenant === 'number'
      ? `${NUMBER_SETTING} = '${tenant}'`
      : `${NAME_SETTING} = ${quoteText(tenant)}`;
  return `BEGIN READ ONLY; SET LOCAL ROLE ${quoteName(role)}; SET LOCAL ${setting}`;
}

/**
 * Makes a role of the operator see one tenant at a time. The owner of the tables and every other
 * role see what they saw before: the engine claims and sweeps for all tenants at once, and a policy
 * that is simply true costs its plans nothing.
 */
export async function raiseWall(
  database: Database,
  role: string,
  mayChange: boolean,
): Promise<void> {
  const missing = await missingPolicies(database, role);
  if (missing.length === 0) return;
  if (!mayChange) {
    throw new StoreError(
      'refused',
      `tables ${missing.join(', ')} have no wall for the role "${role}": ` +
        'open the store once with a role that owns them',
    );
  }
  await database.transact(async (query) => {
    await query(`SELECT pg_advisory_xact_lock(hashtextextended('pawl.wall', 0))`);
    await query(`GRANT USAGE ON SCHEMA ${quoteName(database.schema)} TO ${quoteName(role)}`);
    for (const table of missing) await wallTable(query, { table, role });
  });
}

/** A policy a role, so that one role can take over from another. */
function policyOf(role: string): string {
  return `wall_${role}`;
}

async function missingPolicies(database: Database, role: string): Promise<string[]> {
  const found = await database.read<{ name: string }>(
    `SELECT c.relname AS name FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
     WHERE c.relnamespace = $1::regnamespace AND p.polname = $2`,
    [quoteName(database.schema), policyOf(role)],
  );
  const names = new Set(found.map(({ name }) => name));
  return Object.keys(WALLED).filter((table) => !names.has(table));
}

async function wallTable(
  query: Query,
  { table, role }: { table: string; role: string },
): Promise<void> {
  const reader = quoteName(role);
  const column = WALLED[table];
  const given = (setting: string): string =>
    `nullif(current_setting(${quoteText(setting)}, true), '')`;
  const number = `${given(NUMBER_SETTING)}::int`;
  // A look at jobs may ask for their records, and then the tenant is known by its number.
  const name = `coalesce(${given(NAME_SETTING)},
    (SELECT t.name FROM pawl.tenants t WHERE t.id = ${number}))`;
  const tenant = column === 'tenant' ? name : number;
  await query(`ALTER TABLE pawl.${table} ENABLE ROW LEVEL SECURITY`);
  await query(`DROP POLICY IF EXISTS everyone ON pawl.${table}`);
  await query(`CREATE POLICY everyone ON pawl.${table} USING (true) WITH CHECK (true)`);
  await query(`DROP POLICY IF EXISTS "${policyOf(role)}" ON pawl.${table}`);
  await query(
    `CREATE POLICY "${policyOf(role)}" ON pawl.${table} AS RESTRICTIVE TO ${reader}
     USING (${column} = ${tenant})`,
  );
  await query(`GRANT SELECT ON pawl.${table} TO ${reader}`);
}
