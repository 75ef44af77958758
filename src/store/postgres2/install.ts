import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { canonicalJson } from '../../core/canonical-json.ts';
import { birthPlaces, type Lifecycle, opensEpoch } from '../../core/lifecycle.ts';
import { listedMoves } from '../../core/lifecycle-soundness.ts';
import { rankOf } from '../../core/phase.ts';
import { builtInLifecycles } from '../../lifecycles/built-in.ts';
import { StoreError } from '../store-error.ts';
import type { Database, Query } from './database.ts';
import { quoteName, quoteText, verbsSchema } from './schemas.ts';

/** In the order in which they build on each other. */
const TABLES = ['tables', 'log', 'marks', 'guards', 'partitions', 'views'];
const VERBS = [
  'dictionary',
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
];

function sqlOf(name: string): string {
  return readFileSync(new URL(`sql/${name}.sql`, import.meta.url), 'utf8');
}

/**
 * Settings of every verb that is called from outside. Plans must not depend on statistics, which
 * are wrong whenever a queue fills or drains; as part of the function they hold behind a pooler too.
 */
const PINS: Readonly<Record<string, string>> = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
};

/** Verbs that write: they act with the rights of who owns the tables. */
const WRITES: readonly string[] = [
  'insert_many',
  'insert_jobs',
  'insert_text',
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
  'drop_detached',
  'purge_beside',
  'purge_other',
  'purge_keys',
  'close_log',
  'close_notes',
  'ensure_partitions',
  'turn_log',
  'write_late',
  'guard_move',
  'guard_end',
];

/** Verbs that read: they see what their caller may see. */
const READS: readonly string[] = [
  'read_jobs',
  'expired',
  'to_requeue',
  'overdue',
  'history',
  'tail',
  'labels',
  'log_state',
  'counts',
  'depth',
  'turns_since',
  'standing',
  'texts_of',
  'partition_bounds',
  'limits_lock',
  'now_ms',
];

/** Those that may change what is otherwise frozen: they erase, or carry rows on. */
const CHANGES: readonly string[] = [
  'erase',
  'close_partition',
  'drop_detached',
  'purge_beside',
  'purge_other',
  'close_log',
];

async function pinAll(query: Query, path: readonly string[]): Promise<void> {
  const rows = await query<{ name: string; signature: string }>(
    `SELECT p.proname AS name, p.oid::regprocedure::text AS signature FROM pg_proc p
     JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname = $1 AND p.proname = ANY ($2)`,
    [path[0], [...WRITES, ...READS]],
  );
  const searched = [...path, 'pg_temp'].map(quoteName).join(', ');
  for (const { name, signature } of rows) {
    const isWrite = WRITES.includes(name);
    const settings = {
      ...PINS,
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

export async function installAll(database: Database): Promise<void> {
  const { schema } = database;
  const verbs = verbsSchema(schema);
  await database.transact(async (query) => {
    await query(`SELECT pg_advisory_xact_lock(hashtextextended('pawl.schema', 0))`);
    const [found] = await query<{ has: boolean }>(
      `SELECT to_regclass(${quoteText(`${schema}.meta`)}) IS NOT NULL AS has`,
    );
    if (!found!.has) {
      await query(`CREATE SCHEMA IF NOT EXISTS ${quoteName(schema)}`);
      await query(`SET LOCAL search_path = ${quoteName(schema)}, pg_temp`);
      for (const name of TABLES) await query(sqlOf(name));
      for (const trigger of rowGuards()) await query(trigger);
      await pinAll(query, [schema]);
    }
    const [installed] = await query<{ has: boolean }>(
      `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS has`,
      [verbs],
    );
    if (installed!.has) return;
    await query(`CREATE SCHEMA ${quoteName(verbs)}`);
    await query(`SET LOCAL search_path = ${quoteName(verbs)}, ${quoteName(schema)}, pg_temp`);
    for (const name of VERBS) await query(sqlOf(name));
    await pinAll(query, [verbs, schema]);
  });
}

/** What a lifecycle's table says to the database, in an order that does not depend on its text. */
function definitionOf(lifecycle: Lifecycle): string {
  const moves = listedMoves(lifecycle)
    .map((move) => canonicalJson(move))
    .toSorted();
  return canonicalJson({
    births: birthPlaces(lifecycle, true),
    moves,
    claims: claimsOf(lifecycle),
  });
}

function claimsOf(lifecycle: Lifecycle): string[] {
  return lifecycle.transitions
    .filter(({ on }) => on === 'claim')
    .map(({ from, to, quiet }) => canonicalJson({ from, to, quiet }))
    .toSorted();
}

/** Adds the lifecycles of this process to those of all others: sets only grow. */
export async function registerLifecycles(
  database: Database,
  lifecycles: readonly Lifecycle[],
): Promise<void> {
  const known = await database.read<{ name: string; version: number; definition: string }>(
    `SELECT name, version, definition FROM ${database.tables}.lifecycles`,
  );
  for (const lifecycle of lifecycles) {
    const { name, version } = lifecycle;
    const found = known.find((one) => one.name === name && one.version === version);
    if (found === undefined) await addLifecycle(database, lifecycle);
    else if (found.definition !== definitionOf(lifecycle)) {
      throw new StoreError(
        'refused',
        `lifecycle "${name}" v${version} is registered with other rows: give the table a new version`,
      );
    }
  }
}

async function addLifecycle(database: Database, lifecycle: Lifecycle): Promise<void> {
  const states = [...new Set(lifecycle.places.map(({ state }) => state))];
  const codeOf = (state: string): number => states.indexOf(state) + 1;
  const isClaim = (from: string, to: string): boolean =>
    lifecycle.transitions.some(
      (row) =>
        row.on === 'claim' &&
        `${row.from.state}/${row.from.phase}` === from &&
        `${row.to.state}/${row.to.phase}` === to,
    );
  const moves = listedMoves(lifecycle).map(({ from, to, quiet }) => ({
    from_state: codeOf(from.state),
    from_phase: rankOf(from.phase),
    to_state: codeOf(to.state),
    to_phase: rankOf(to.phase),
    is_quiet: quiet,
    epochs: opensEpoch(from, to) ? 1 : 0,
    is_claim: isClaim(`${from.state}/${from.phase}`, `${to.state}/${to.phase}`),
  }));
  const births = birthPlaces(lifecycle, true).map(({ state, phase }) => [
    codeOf(state),
    rankOf(phase),
  ]);
  await database.verb('put_lifecycle', [
    lifecycle.name,
    lifecycle.version,
    definitionOf(lifecycle),
    states,
    JSON.stringify(births),
    JSON.stringify(moves),
  ]);
}

/** What jobs do most: claimed, started, done. These pass without a look at the table of moves. */
const HOT_PHASES: readonly string[] = ['1>2', '1>3', '2>3', '3>5'];

/** The number that a name has unless another one has it, as the database makes it. */
function numberFor(name: string): number {
  return createHash('md5').update(name).digest().readInt32BE();
}

function hotCodes(): string {
  const codes = builtInLifecycles.flatMap((lifecycle) => {
    const states = [...new Set(lifecycle.places.map(({ state }) => state))];
    const number = BigInt(numberFor(`${lifecycle.name} v${lifecycle.version}`));
    return listedMoves(lifecycle).flatMap(({ from, to, quiet }) => {
      const [one, other] = [rankOf(from.phase), rankOf(to.phase)];
      if (quiet || !HOT_PHASES.includes(`${one}>${other}`)) return [];
      const [a, b] = [states.indexOf(from.state) + 1, states.indexOf(to.state) + 1];
      return [(number << 32n) | BigInt((a << 20) | (one << 16) | (b << 4) | other)];
    });
  });
  return `'{${codes.join(',')}}'::int8[]`;
}

function codeOf(from: { state: string; phase: string }, lifecycle: string): string {
  return `((${lifecycle}::int8 << 32) | (${from.state}::int8 << 20) | (${from.phase}::int8 << 16)
    | (NEW.state::int8 << 4) | NEW.phase)`;
}

/** Renewals and progress do not pay for them: they touch none of these columns. */
function rowGuards(): string[] {
  const hot = hotCodes();
  const moved = codeOf({ state: 'OLD.state', phase: 'OLD.phase' }, 'NEW.lifecycle');
  const ended = codeOf({ state: 'NEW.from_state', phase: 'NEW.from_phase' }, 'NEW.lifecycle');
  const move = `CREATE TRIGGER guard_move
    AFTER UPDATE OF lifecycle, lane, seq, state, phase, epoch, version ON live FOR EACH ROW
    WHEN ((NEW.lifecycle = OLD.lifecycle AND NEW.lane = OLD.lane AND NEW.seq = OLD.seq
      AND NEW.epoch = OLD.epoch AND NEW.version = OLD.version + 1
      AND ${moved} = ANY (${hot})) IS NOT TRUE) EXECUTE FUNCTION guard_move()`;
  const ends = ['ended', 'ended_other'].map(
    (table) => `CREATE TRIGGER guard_end AFTER INSERT ON ${table} FOR EACH ROW
      WHEN ((NEW.version = NEW.from_version + 1 AND NEW.epoch = NEW.from_epoch
        AND ${ended} = ANY (${hot})) IS NOT TRUE)
      EXECUTE FUNCTION guard_end()`,
  );
  return [move, ...ends];
}
