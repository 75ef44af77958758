import type { Holder } from '../store/maintenance.ts';
import type { Check } from './checks.ts';
import type { Facts } from './facts.ts';
import { type Found, found, good } from './finding.ts';

const SQLITE_MIN = [3, 51, 3];
const POSTGRES_MIN = [15, 0, 0];
const SKEW_WARN_MS = 1_000;
const SKEW_BAD_MS = 10_000;
const DEAD_SHARE_MAX = 0.3;
const DEAD_ROWS_MIN = 50_000;
const LOG_BYTES_MAX = 512 * 1_048_576;
const DAYS_AHEAD_MIN = 2;
const HELD_MS_MAX = 300_000;
const HELD_TRANSACTIONS_MAX = 5_000_000;
/** Beyond this share the server has been freezing by force for long, and does not get on. */
const FORCED_SHARE_MAX = 1.5;
const AGE_FAULT = 1_000_000_000;
const CONNECTIONS_SHARE_MAX = 0.9;

function isOlder(version: string, min: readonly number[]): boolean {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  const at = min.findIndex((part, index) => (parts[index] ?? 0) !== part);
  return at >= 0 && (parts[at] ?? 0) < (min[at] ?? 0);
}

function version({ figures }: Facts) {
  const { engine, version: own } = figures;
  const min = engine === 'postgres' ? POSTGRES_MIN : SQLITE_MIN;
  if (engine !== 'memory' && isOlder(own, min)) {
    const wanted = min.join('.');
    return [found('fault', `${engine} is ${own}, older than ${wanted}`, `Upgrade to ${wanted}.`)];
  }
  return [good(`${engine} ${own}`)];
}

/** What each setting must not be, and what then can happen. */
const UNSAFE: Readonly<
  Record<string, { readonly values: readonly string[]; readonly risk: string }>
> = {
  synchronous: { values: ['0', '1'], risk: 'an accepted job can be lost in a power cut' },
  synchronous_commit: { values: ['off'], risk: 'an accepted job can be lost in a crash' },
  fsync: { values: ['off'], risk: 'a power cut can destroy the database' },
  full_page_writes: { values: ['off'], risk: 'a power cut can destroy pages' },
  autovacuum: { values: ['off'], risk: 'tables grow without a limit' },
};

function durability({ figures }: Facts) {
  const bad = Object.entries(UNSAFE).filter(([name, { values }]) =>
    values.includes(figures.settings[name] ?? ''),
  );
  if (bad.length === 0) return [good('writes are durable when they are answered')];
  return bad.map(([name, { risk }]) => {
    const value = figures.settings[name];
    return found('fault', `${name} is ${value}: ${risk}`, `Set ${name} to its safe default.`);
  });
}

function clock({ now, ownNow }: Facts) {
  const skew = Math.round(ownNow - now);
  const size = Math.abs(skew);
  if (size < SKEW_WARN_MS) return [good(`this process and the database agree within ${size} ms`)];
  const message = `this process is ${size} ms ${skew > 0 ? 'ahead of' : 'behind'} the database`;
  const action = 'Set up NTP on both machines. Leases are safe: they go by the database alone.';
  return [found(size < SKEW_BAD_MS ? 'notice' : 'warning', message, action)];
}

function bloat({ figures }: Facts) {
  const bloated = figures.tables.filter(
    ({ rows, deadRows }) =>
      (deadRows ?? 0) > DEAD_ROWS_MIN &&
      (deadRows ?? 0) > DEAD_SHARE_MAX * ((rows ?? 0) + (deadRows ?? 0)),
  );
  if (bloated.length === 0) return [good('no table has many dead rows')];
  return bloated.map(({ name, deadRows }) =>
    found(
      'warning',
      `${name} has ${deadRows} dead rows`,
      'Look for a long transaction that blocks vacuum; then VACUUM that table.',
    ),
  );
}

function log({ figures }: Facts) {
  const bytes = figures.logBytes ?? 0;
  if (bytes <= LOG_BYTES_MAX) return [good('the write-ahead log is checkpointed regularly')];
  const message = `the write-ahead log has grown to ${Math.round(bytes / 1_048_576)} MiB`;
  return [found('warning', message, 'A reader may be stuck: restart the process at a quiet time.')];
}

function partitions({ figures: { daysAhead } }: Facts) {
  if (daysAhead === null) return [];
  if (daysAhead >= DAYS_AHEAD_MIN)
    return [good(`jobs have partitions for ${daysAhead} days ahead`)];
  const message = `jobs have partitions for ${daysAhead} days ahead only`;
  const action =
    'Start a process with the role sweeper, which creates them. If one runs, see its log.';
  return [found('fault', message, action)];
}

/** What ends each kind of hold. */
const RELEASES: Readonly<Record<Holder['kind'], string>> = {
  session: 'See in pg_stat_activity what it does; pg_terminate_backend ends it.',
  'prepared transaction': 'COMMIT PREPARED or ROLLBACK PREPARED ends it.',
  'replication slot': 'Start its consumer, or pg_drop_replication_slot if it has none any more.',
  standby: 'End its long queries, or set hot_standby_feedback to off there.',
};

function isHeldLong({ ms, transactions }: Holder): boolean {
  return (ms ?? 0) > HELD_MS_MAX || (transactions ?? 0) > HELD_TRANSACTIONS_MAX;
}

function horizon({ figures: { server } }: Facts) {
  if (server === null) return [];
  const held = server.holders.filter(isHeldLong);
  if (held.length === 0) return [good('no old transaction keeps dead rows')];
  return held.map(({ kind, name, ms, transactions }) => {
    const since =
      ms === null ? `${transactions} transactions` : `${Math.round(ms / 60_000)} minutes`;
    return found('warning', `the ${kind} ${name} has kept dead rows for ${since}`, RELEASES[kind]);
  });
}

function wraparound({ figures: { server } }: Facts) {
  if (server === null) return [];
  const old = server.ages.filter(({ age, forcedAt }) => age > FORCED_SHARE_MAX * forcedAt);
  if (old.length === 0) return [good('old rows are frozen early enough')];
  const action =
    'End what keeps dead rows (see horizon), then VACUUM (FREEZE) the database. ' +
    'At 2,000,000,000 the server refuses writes.';
  return old.map(({ kind, age, forcedAt }) => {
    const message =
      `the oldest ${kind} number that is not frozen is ${age} back, ` +
      `though the server freezes by force from ${forcedAt} on`;
    return found(age > AGE_FAULT ? 'fault' : 'warning', message, action);
  });
}

function guards({ figures: { server } }: Facts) {
  if (server === null) return [];
  const { missingGuards } = server;
  if (missingGuards.length === 0) return [good('every table has its guards')];
  return missingGuards.map(({ table, guard, isOff }) =>
    found(
      'fault',
      `the guard ${guard} of the table ${table} is ${isOff ? 'switched off' : 'missing'}`,
      isOff
        ? `ALTER TABLE ${table} ENABLE TRIGGER ${guard}; then pawl doctor --verify.`
        : 'Create it again as on the other tables; then pawl doctor --verify.',
    ),
  );
}

function connections({ figures }: Facts) {
  if (figures.connections === null) return [];
  const { used, max } = figures.connections;
  if (used <= CONNECTIONS_SHARE_MAX * max) return [good(`${used} of ${max} connections are used`)];
  const action = 'Raise max_connections, or put a pooler in transaction mode in between.';
  return [found('warning', `${used} of ${max} connections are used`, action)];
}

/** What a pooler in transaction mode cannot carry must be had in another way. */
function pooler({ figures: { connection } }: Facts) {
  if (connection === null) return [];
  const { isPooled, isDirect, hearsNews, user, statementMs, idleMs } = connection;
  const faults = [
    ...(hearsNews ? [] : [silence(isPooled, isDirect)]),
    ...(isPooled && statementMs === 0 ? [unbounded('statement_timeout', user)] : []),
    ...(isPooled && idleMs === 0 ? [unbounded('idle_in_transaction_session_timeout', user)] : []),
  ];
  if (faults.length > 0) return faults;
  const way = isPooled ? 'through a pooler, and directly for wake-ups' : 'directly';
  return [good(`the server is reached ${way}, statements are bounded, wake-ups arrive`)];
}

function silence(isPooled: boolean, isDirect: boolean): Found {
  if (isPooled && !isDirect) {
    return found(
      'notice',
      'wake-ups of other processes do not pass the pooler: idle workers find jobs by polling',
      'Set DATABASE_DIRECT_URL to the address of the server itself.',
    );
  }
  return found(
    'warning',
    'a notification was sent and did not arrive: idle workers find jobs only by polling',
    isPooled
      ? 'Set DATABASE_DIRECT_URL to the server itself, not to a pooler in transaction mode.'
      : 'Check whether the server accepts another connection, and read its log.',
  );
}

function unbounded(setting: string, user: string): Found {
  return found(
    'warning',
    `${setting} is 0 behind the pooler: only a timer of this process bounds its statements`,
    `ALTER ROLE "${user}" SET ${setting} = '30s'; then restart the pooler.`,
  );
}

/** What can be wrong with the database itself. */
export const STORE_CHECKS: readonly Check[] = [
  { name: 'version', run: version },
  { name: 'durability', run: durability },
  { name: 'clock', run: clock },
  { name: 'bloat', run: bloat },
  { name: 'log', run: log },
  { name: 'partitions', run: partitions },
  { name: 'horizon', run: horizon },
  { name: 'wraparound', run: wraparound },
  { name: 'guards', run: guards },
  { name: 'connections', run: connections },
  { name: 'pooler', run: pooler },
];
