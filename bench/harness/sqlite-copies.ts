import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { Copies } from './copies.ts';

type Row = Record<string, SQLOutputValue>;

/** So many copies share an entry of the log, as jobs that come in large calls do. */
const CALL = 500;

/** A job that has really been where it is, in all its tables. */
interface Template {
  readonly key: number;
  readonly bornAt: number;
  readonly rows: ReadonlyMap<string, Row>;
  readonly entries: readonly Row[];
}

const TABLES = ['facts', 'live', 'ended', 'details', 'keys'] as const;

/**
 * Writes jobs and their entries in the log, in the order of their birth, as UUIDv7 of that moment.
 * All their times are those of the job they are copies of, moved as far.
 */
export function copyJobs(db: DatabaseSync, copies: Copies): void {
  if (copies.count === 0) return;
  const triggers = db.prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`).all();
  db.exec('BEGIN');
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${String(name)}`);
  const templates = copies.of.map((id) => templateOf(db, id));
  const { key: last } = db.prepare('SELECT max(key) AS key FROM facts').get()!;
  for (let n = 1; n <= copies.count; n += CALL * templates.length) {
    for (const [place, template] of templates.entries()) {
      const numbers = Array.from(
        { length: CALL },
        (_, index) => n + place + index * templates.length,
      ).filter((number) => number <= copies.count);
      if (numbers.length > 0) copyCall(db, template, { copies, numbers, last: Number(last) });
    }
  }
  for (const { sql } of triggers) db.exec(String(sql));
  db.exec('COMMIT');
}

function templateOf(db: DatabaseSync, id: string): Template {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  const facts = db.prepare('SELECT * FROM facts WHERE id = ?').get(bytes)!;
  const key = Number(facts['key']);
  const rows = new Map(
    TABLES.flatMap((table): [string, Row][] => {
      const row = db.prepare(`SELECT * FROM ${table} WHERE key = ?`).get(key);
      return row === undefined ? [] : [[table, row]];
    }),
  );
  const entries = db
    .prepare(`SELECT * FROM log WHERE EXISTS (
      SELECT 1 FROM json_each(log.jobs) WHERE value = ?) ORDER BY n`)
    .all(key);
  return { key, bornAt: Number(facts['created_at']), rows, entries };
}

function copyCall(
  db: DatabaseSync,
  { key: from, bornAt, rows, entries }: Template,
  call: { copies: Copies; numbers: readonly number[]; last: number },
): void {
  const { copies, numbers, last } = call;
  const momentOf = (number: number): number =>
    Math.floor(copies.from + (number * (copies.to - copies.from)) / copies.count);
  const keys = `[${numbers.map((number) => last + number).join(',')}]`;
  const moved = new Map<SQLOutputValue, number>();
  for (const entry of entries) {
    const { n } = db.prepare('SELECT coalesce(max(n), 0) + 1 AS n FROM log').get()!;
    const ts = Number(entry['ts']) + momentOf(numbers[0]!) - bornAt;
    const at = (JSON.parse(String(entry['jobs'])) as number[]).indexOf(from);
    insert(db, 'log', { ...alone(entry, at), n: n!, ts, jobs: keys });
    moved.set(entry['n']!, Number(n));
  }
  for (const number of numbers) {
    const ms = momentOf(number);
    const [time, count] = [ms, number].map((part) => part.toString(16).padStart(12, '0'));
    const id = Buffer.from(`${time}70008000${count}`, 'hex');
    for (const [table, row] of rows) {
      const values = Object.entries(row).map(([name, value]): [string, SQLOutputValue] => {
        if (name === 'key') return [name, last + number];
        if (name === 'id' && value !== null) return [name, id];
        if (name.endsWith('_n')) return [name, movedNumbers(value, moved)];
        const isTime = /_at$|^lease_(?:expiry|end|limit)$/.test(name) && value !== null;
        return [name, isTime ? Number(value) + ms - bornAt : value];
      });
      insert(db, table, Object.fromEntries(values));
    }
  }
}

/** What an entry says of one of its jobs, as if all had it. */
function alone(entry: Row, at: number): Row {
  const lists = ['versions', 'epochs', 'attempts', 'retries', 'progress'].map((name) => {
    const list = JSON.parse(String(entry[name])) as number[];
    return [name, `[${list[at] ?? list[0]!}]`];
  });
  return { ...entry, ...(Object.fromEntries(lists) as Row) };
}

function movedNumbers(
  value: SQLOutputValue,
  moved: ReadonlyMap<SQLOutputValue, number>,
): SQLOutputValue {
  if (typeof value !== 'string') return value === null ? null : (moved.get(value) ?? value);
  return JSON.stringify((JSON.parse(value) as number[]).map((n) => moved.get(n) ?? n));
}

const statements = new WeakMap<DatabaseSync, Map<string, ReturnType<DatabaseSync['prepare']>>>();

/** Without the checksum, which is of the row that it was copied from: null is not checked. */
function insert(db: DatabaseSync, table: string, { sum: _sum, ...row }: Row): void {
  const known = statements.get(db) ?? new Map<string, ReturnType<DatabaseSync['prepare']>>();
  statements.set(db, known);
  const names = Object.keys(row);
  const marks = names.map(() => '?').join(', ');
  const statement =
    known.get(table) ?? db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`);
  known.set(table, statement);
  statement.run(...(Object.values(row) as SQLInputValue[]));
}
