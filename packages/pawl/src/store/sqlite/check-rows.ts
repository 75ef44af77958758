import type { RowCheck, RowPosition } from '../maintenance.ts';
import { FACTS_SUMMED } from './birth.ts';
import type { Connection } from './connection.ts';
import { sumSql } from './sums.ts';

/** A table whose rows carry a checksum: by what they are found, and what it is of. */
interface Summed {
  readonly name: string;
  readonly from: string;
  readonly keys: readonly string[];
  readonly numbers: readonly string[];
  readonly texts: readonly string[];
}

const TABLES: readonly Summed[] = [
  { name: 'facts', from: 'facts', keys: ['key'], ...FACTS_SUMMED },
  {
    name: 'ended',
    from: 'ended e LEFT JOIN details d ON d.key = e.key',
    keys: ['e.key'],
    numbers: `e.key e.state e.phase e.epoch e.version e.flags e.attempts e.retry_count
      e.progress*1000|0 e.run_at e.started_at e.completed_at e.backoff_ms e.born_n e.claim_n
      e.end_n e.tenant`.split(/\s+/),
    texts: `e.more_n e.revision e.fingerprint e.result e.id d.stage d.message d.cancel_reason
      d.checkpoint d.error d.input`.split(/\s+/),
  },
  {
    name: 'log',
    from: 'log',
    keys: ['n'],
    numbers: `n ts lane lifecycle kind turn from_state via_state to_state phase has_texts`.split(
      ' ',
    ),
    texts: 'actor versions epochs attempts retries progress jobs'.split(' '),
  },
  {
    name: 'log_texts',
    from: 'log_texts',
    keys: ['key', 'n'],
    numbers: ['key', 'n'],
    texts: ['stage', 'message', 'cause', 'payload'],
  },
];

/** A slice ends here too: inputs may be long. */
const BYTES_MAX = 4 * 1_048_576;
const DAMAGED_MAX = 20;

function sqlOf({ from, keys, numbers, texts }: Summed): string {
  const key = keys.length === 1 ? keys[0]! : `(${keys.join(', ')})`;
  const after = keys.length === 1 ? '?1' : '(?1, ?2)';
  const alias = from.includes(' e ') ? 'e.' : '';
  const bytes = texts.map((text) => `coalesce(octet_length(${text}), 0)`).join(' + ');
  return `SELECT ${keys.join(', ')}, ${bytes},
      ${alias}sum IS NULL OR ${alias}sum IS ${sumSql(numbers, texts)}
    FROM ${from} WHERE ${key} > ${after} ORDER BY ${keys.join(', ')} LIMIT ?${keys.length + 1}`;
}

const STATEMENTS: readonly string[] = TABLES.map(sqlOf);

/** Compares the next rows with their checksums: a slice of one table. */
export function checkRows(
  { connection }: { readonly connection: Pick<Connection, 'textLists'> },
  position: RowPosition | null,
  limit: number,
): RowCheck {
  const at = TABLES.findIndex(({ name }) => name === (position?.table ?? TABLES[0]!.name));
  const { name, keys } = TABLES[at]!;
  let after = position?.after ?? keys.map(() => 0);
  let [rows, bytes] = [0, 0];
  const damage: string[] = [];
  const found = connection.textLists(STATEMENTS[at]!).iterate(...after, limit);
  for (const row of found as unknown as Iterable<number[]>) {
    rows += 1;
    after = row.slice(0, keys.length);
    bytes += row[keys.length]!;
    if (row[keys.length + 1] === 0 && damage.length < DAMAGED_MAX) {
      damage.push(`the row ${after.join(', ')} of ${name} does not match its checksum`);
    }
    if (bytes > BYTES_MAX) return { rows, damage, next: { table: name, after } };
  }
  if (rows === limit) return { rows, damage, next: { table: name, after } };
  const next = TABLES[at + 1];
  const isLast = next === undefined;
  return {
    rows,
    damage,
    next: isLast ? null : { table: next.name, after: next.keys.map(() => 0) },
  };
}
