import type { Check } from './checks.ts';
import type { Facts } from './facts.ts';
import { found, good } from './finding.ts';

const SQLITE_MIN = [3, 51, 3];
const POSTGRES_MIN = [15, 0, 0];
const SKEW_WARN_MS = 1_000;
const SKEW_BAD_MS = 10_000;
const DEAD_SHARE_MAX = 0.3;
const DEAD_ROWS_MIN = 50_000;
const LOG_BYTES_MAX = 512 * 1_048_576;
const DAYS_AHEAD_MIN = 2;
const TRANSACTION_MS_MAX = 300_000;
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
  autovacuum: { values: ['off'], risk: 'tables grow without end' },
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
  if (bloated.length === 0) return [good('no table carries much waste')];
  return bloated.map(({ name, deadRows }) =>
    found(
      'warning',
      `${name} has ${deadRows} dead rows`,
      'Look for a long transaction that holds vacuum up; then VACUUM that table.',
    ),
  );
}

function log({ figures }: Facts) {
  const bytes = figures.logBytes ?? 0;
  if (bytes <= LOG_BYTES_MAX) return [good('the write-ahead log is folded in as it should')];
  const message = `the write-ahead log has grown to ${Math.round(bytes / 1_048_576)} MiB`;
  return [found('warning', message, 'A reader may be stuck: restart the process when quiet.')];
}

function days({ figures: { daysAhead } }: Facts) {
  if (daysAhead === null) return [];
  if (daysAhead >= DAYS_AHEAD_MIN) return [good(`events have room for ${daysAhead} days to come`)];
  const message = `events have room for ${daysAhead} days to come only`;
  return [found('fault', message, 'Start a process with the role sweeper: it makes the days.')];
}

function transactions({ figures: { oldestTransactionMs } }: Facts) {
  const ms = oldestTransactionMs ?? 0;
  if (ms <= TRANSACTION_MS_MAX) return [good('no transaction has been open for long')];
  const message = `a transaction has been open for ${Math.round(ms / 60_000)} minutes`;
  const action = 'Find it in pg_stat_activity and end it: it keeps dead rows alive.';
  return [found('warning', message, action)];
}

function connections({ figures }: Facts) {
  if (figures.connections === null) return [];
  const { used, max } = figures.connections;
  if (used <= CONNECTIONS_SHARE_MAX * max) return [good(`${used} of ${max} connections are used`)];
  const action = 'Raise max_connections, or put a pooler in transaction mode in between.';
  return [found('warning', `${used} of ${max} connections are used`, action)];
}

function pages({ broken }: Facts) {
  if (broken.length === 0) return [good('the database finds nothing wrong with itself')];
  const action = 'Stop writing, keep a copy of the file, and restore the newest backup.';
  return broken.map((message) => found('fault', message, action));
}

/** What can be wrong with the database itself. */
export const STORE_CHECKS: readonly Check[] = [
  { name: 'version', run: version },
  { name: 'durability', run: durability },
  { name: 'clock', run: clock },
  { name: 'bloat', run: bloat },
  { name: 'log', run: log },
  { name: 'days', run: days },
  { name: 'transactions', run: transactions },
  { name: 'connections', run: connections },
  { name: 'pages', run: pages },
];
