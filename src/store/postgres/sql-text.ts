/**
 * SQL is written for the schema `pawl` and moved to the chosen one as text: no statement relies on
 * search_path, which a pooler may share between strangers.
 */
export function inSchema(sql: string, schema: string): string {
  return sql.replaceAll(/\bpawl\./g, `${quoteName(schema)}.`);
}

/** Names are quoted, and kept to what needs no thought in a script or a dump. */
export function quoteName(name: string): string {
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(name)) {
    throw new TypeError(`"${name}" is no schema name: use a–z, 0–9 and _, at most 40 of them`);
  }
  return `"${name}"`;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function quoteTexts(texts: readonly string[]): string {
  const items = texts.map((text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`);
  return `${quoteText(`{${items.join(',')}}`)}::text[]`;
}

/** A time as milliseconds; the cast rounds, so that a time of the far future is exact too. */
export function toMs(time: string): string {
  return `(extract(epoch FROM ${time}) * 1000)::int8`;
}

/** The same of a time that the database has chosen; for one of the far future it is not exact. */
export function quickMs(time: string): string {
  return `(date_part('epoch', ${time}) * 1000)::int8`;
}

export function fromMs(ms: string): string {
  return `(timestamptz 'epoch' + ${ms} * interval '1 millisecond')`;
}

/** The database's time in whole milliseconds, unless a test has passed its own. */
export const NOW: string = `date_trunc('milliseconds',
  coalesce(${fromMs('p_now')}, clock_timestamp()))`;

/** The moment of a statement whose time is its parameter of this number. */
export function nowAt(parameter: string): string {
  return NOW.replace('p_now', `${parameter}::double precision`);
}

/**
 * The time of a write to `j`. Whoever waits for somebody's lock has looked at the clock before, and
 * must not write what is older than what it has waited for.
 */
export const STEADY_NOW = 'greatest(v_now, j.updated_at)';

/**
 * Plans must not depend on statistics, which are wrong whenever a queue fills or drains. As part of
 * the function the settings hold behind a transaction-mode pooler too.
 */
export const PINS = `SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
  SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off SET jit = off`;

/** With an order that an index has, sorting is never the better plan. */
export const SORTLESS: string = `${PINS} SET enable_sort = off`;

/**
 * Joins a job to a row that names it. A plain `=` would let a plan made for an empty table walk the
 * whole key once the table is full; `= ANY` leaves nothing but a look-up for each row.
 */
export function byKey(job: string, row: { tenant: string; id: string }): string {
  return `${job}.id = ANY (ARRAY[${row.id}]) AND ${job}.tenant_id + 0 = ${row.tenant}`;
}

/**
 * Bounds the wait for somebody else's lock inside one function: its own SET clause makes sure that
 * the setting ends with it, in a caller's transaction too.
 */
export const WAIT = `PERFORM set_config('lock_timeout', p_wait_ms::text, true);`;

/** The same verbs once more, where a later step has changed how they do what they do. */
export function replacing(functions: readonly string[]): string[] {
  return functions
    .filter((sql) => !sql.includes('CREATE TYPE'))
    .map((sql) => sql.replaceAll('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION'));
}

/** In the order in which every verb writes them. */
export const EVENT_COLUMNS = `tenant_id, job_id, version, born, ts, type, from_state, to_state,
  phase, epoch, attempt, retry_count, progress, stage, message, actor, cause, payload`;
