import { readFileSync } from 'node:fs';
import type { Database, Query } from './database.ts';
import { labelsSql } from './labels.ts';
import { quoteName, quoteText, verbsSchema } from './schemas.ts';

/** In the order in which they build on each other. */
const VERBS = [
  'dictionary',
  'moving',
  'admit',
  'insert',
  'unique',
  'apply',
  'claim',
  'renew',
  'sweep',
  'read',
  'history',
  'counts',
  'limits',
  'erase',
  'purge',
  'records',
  'add-job',
  'care',
];

export function sqlOf(name: string): string {
  return readFileSync(new URL(`sql/${name}.sql`, import.meta.url), 'utf8');
}

/**
 * Settings of every verb that is called from outside. Plans must not depend on statistics, which
 * are wrong whenever a queue fills or drains; as part of a function they hold behind a pooler too.
 */
const PINS: Readonly<Record<string, string>> = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
};

/** Of verbs that wait neither shorter nor as long as their caller says. */
const LOCK_TIMEOUT = '10s';

/** Verbs that write: they act with the rights of who owns the tables. */
const WRITES: readonly string[] = [
  'insert_many',
  'insert_jobs',
  'insert_text',
  'add_job',
  'claim',
  'apply_moves',
  'renew',
  'open_due',
  'admit_from',
  'put_limit',
  'trim_rates',
  'name_tenants',
  'name_owners',
  'name_lanes',
  'put_policy',
  'put_lifecycle',
  'erase',
  'close_partition',
  'detach_now',
  'drop_closed',
  'purge_beside',
  'purge_other',
  'purge_keys',
  'forget_tail',
  'lock_records',
  'save_records',
  'holds_job',
  'close_log',
  'close_notes',
  'ensure_partitions',
  'turn_log',
  'mark_frozen',
  'write_late',
  'begin_timeline',
  'note_lost',
  'guard_move',
  'guard_end',
  'depart',
  'expect_tenant',
  'take_parts',
  'arrive',
  'settle',
];

/** Verbs that read: they see what their caller may see. */
const READS: readonly string[] = [
  'read_jobs',
  'read_phases',
  'expired',
  'to_requeue',
  'overdue',
  'history',
  'tail',
  'tail_of',
  'labels',
  'entry_counts',
  'job_times',
  'closed_partitions',
  'tail_lag',
  'strays',
  'failed_types',
  'until_due',
  'back_since',
  'owned',
  'log_state',
  'log_before',
  'is_kept',
  'counts',
  'first_entry',
  'last_before',
  'past',
  'depth',
  'turns_since',
  'standing',
  'texts_of',
  'partition_bounds',
  'limits_lock',
  'now_ms',
  'horizon',
  'mark_holder',
  'missing_guards',
  'damage',
  'log_damage',
  'ages',
  'gauges',
  'unfrozen',
  'tenant_standing',
  'pack_ended',
  'pack_since',
  'departed',
];

/** Those that may change what is otherwise frozen: they erase, or carry rows on. */
const CHANGES: readonly string[] = [
  'erase',
  'close_partition',
  'drop_closed',
  'purge_beside',
  'purge_other',
  'close_log',
  'close_notes',
  'expect_tenant',
  'take_parts',
];

/** Gives the functions of a schema that are called from outside their settings and rights. */
export async function pinAll(
  query: Query,
  given: { of: string; path: readonly string[]; names?: readonly string[] },
): Promise<void> {
  const { of, path, names = [...WRITES, ...READS] } = given;
  const rows = await query<{ name: string; signature: string; waits: boolean }>(
    `SELECT p.proname AS name, p.oid::regprocedure::text AS signature,
       coalesce(array_to_string(p.proconfig, ' '), '') ~ '\\mlock_timeout=' AS waits
     FROM pg_proc p
     JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname = $1 AND p.proname = ANY ($2)`,
    [of, names],
  );
  const searched = [...path, 'pg_temp'].map(quoteName).join(', ');
  for (const { name, signature, waits } of rows) {
    const isWrite = WRITES.includes(name);
    const settings = {
      ...PINS,
      ...(waits ? {} : { lock_timeout: LOCK_TIMEOUT }),
      ...(isWrite ? { 'pawl.verb': 'on' } : {}),
      ...(CHANGES.includes(name) ? { 'pawl.may_change': 'on' } : {}),
    };
    const list = Object.entries(settings).map(([key, value]) => `SET ${key} = ${quoteText(value)}`);
    const rights = isWrite ? 'SECURITY DEFINER' : 'SECURITY INVOKER';
    await query(
      `ALTER FUNCTION ${signature} ${rights} SET search_path = ${searched} ${list.join(' ')}`,
    );
  }
}

/** Whether this release's verbs are there. */
export async function hasVerbs(query: Query, { schema }: Database): Promise<boolean> {
  const [row] = await query<{ has: boolean }>(
    'SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS has',
    [verbsSchema(schema)],
  );
  return row!.has;
}

/** In the transaction of the caller, who is the only one that changes the schema. */
export async function installVerbs(query: Query, database: Database): Promise<void> {
  if (await hasVerbs(query, database)) return;
  const { schema, tables, verbs } = database;
  await query(`CREATE SCHEMA ${verbs}`);
  await query(`SET LOCAL search_path = ${verbs}, ${tables}, pg_temp`);
  await query(labelsSql());
  for (const name of VERBS) await query(sqlOf(name));
  const path = [verbsSchema(schema), schema];
  await pinAll(query, { of: verbsSchema(schema), path });
  await query(`SET LOCAL search_path = ${tables}, ${verbs}, pg_temp`);
  await query(sqlOf('add-job-name'));
  await pinAll(query, { of: schema, path, names: ['add_job'] });
}
