import type { LimitPolicy } from '../../core/limits.ts';
import { levelAfter, levelAt, nextTokenAt, type RateLevel, tokensLeft } from '../../core/rate.ts';
import { GATE, gateAfter, type GateKeys, gateOfKey, keyAt, rateAt } from '../gate.ts';
import { RANK_AT, type Row } from './row.ts';
import type { Work } from './work.ts';

/** How a row holds its keys. */
export interface KeyColumns extends Row {
  limit_key: string | null;
  user_key: string | null;
  organisation_key: string | null;
}

export function gateKeysOf(row: KeyColumns): GateKeys {
  return {
    limitKey: row.limit_key,
    userKey: row.user_key,
    organisationKey: row.organisation_key,
  };
}

/** By gate: who waits there, first in line first, and how many have passed it. */
const LINES: Readonly<Record<number, { head: string; passed: string }>> = {
  [GATE.parked]: line('limit_key', GATE.parked, '(gate IN (0, 4, 5) OR phase IN (2, 3))'),
  [GATE.user]: line('user_key', GATE.user, 'gate IN (0, 5)'),
  [GATE.organisation]: line('organisation_key', GATE.organisation, 'gate = 0'),
};

function line(column: string, gate: number, passed: string): { head: string; passed: string } {
  return {
    head: `SELECT seq, policy, limit_key, user_key, organisation_key FROM jobs
      WHERE gate = ${gate} AND ${column} = ? ORDER BY ${RANK_AT}, seq LIMIT 1`,
    passed: `SELECT count(*) AS count FROM jobs
      WHERE ${column} = ? AND ${column} IS NOT NULL AND ${passed}`,
  };
}

const MOVE = 'UPDATE jobs SET gate = ? WHERE seq = ?';
const LEVEL = 'SELECT level, at FROM rate_levels WHERE key = ?';
const KEEP_LEVEL = `INSERT INTO rate_levels VALUES (?1, ?2, ?3, ?4) ON CONFLICT (key)
  DO UPDATE SET level = ?2, at = ?3, next_at = coalesce(?4, next_at)`;
const DUE_KEYS = `UPDATE rate_levels SET next_at = NULL WHERE key IN (
    SELECT key FROM rate_levels WHERE next_at <= ? ORDER BY next_at LIMIT ?)
  RETURNING key`;

/** The keys that a call has touched: they are looked at before it ends. */
export class TouchedKeys {
  readonly #keys = new Set<string>();

  /** Of a job that was written, with the gate where it now stands. */
  add(row: KeyColumns, gate: number | null): void {
    this.touch(row.limit_key);
    this.touch(keyAt(gate, gateKeysOf(row)));
  }

  touchTokens({ user_key, organisation_key }: KeyColumns): void {
    this.touch(user_key);
    this.touch(organisation_key);
  }

  touch(key: string | null): void {
    if (key !== null) this.#keys.add(key);
  }

  /** Lets on whom the keys have room for, gate by gate. */
  admit(work: Work): void {
    if (this.#keys.size > 0) admitKeys(work, this.#keys);
  }
}

function admitKeys(work: Work, keys: Set<string>): void {
  for (const gate of [GATE.parked, GATE.user, GATE.organisation]) {
    for (const key of keys) if (gateOfKey(key) === gate) admitOne(work, key, keys);
  }
}

function admitOne(work: Work, key: string, keys: Set<string>): void {
  const { connection, registry } = work;
  const gate = gateOfKey(key);
  const { head, passed: counted } = LINES[gate]!;
  let passed: number | null = null;
  for (;;) {
    const row = connection.sql(head).get(key) as KeyColumns | undefined;
    if (row === undefined) return;
    passed ??= Number(connection.sql(counted).get(key)!['count']);
    const { limits } = registry.policy(Number(row['policy']));
    if (!hasRoom(work, { key, gate, passed, limits })) return;
    const gateKeys = gateKeysOf(row);
    const next = gateAfter(gate, gateKeys);
    connection.sql(MOVE).run(next, row['seq']!);
    const nextKey = keyAt(next, gateKeys);
    if (nextKey !== null) keys.add(nextKey);
    passed += 1;
  }
}

interface Standing {
  readonly key: string;
  readonly gate: number;
  readonly passed: number;
  readonly limits: LimitPolicy | undefined;
}

/** Where there is no token, also remembers when to look again. */
function hasRoom(work: Work, { key, gate, passed, limits }: Standing): boolean {
  if (gate === GATE.parked) return passed < limits!.runningPerKey!.max;
  const rate = rateAt(gate, limits);
  const level = levelAt(levelOf(work, key), rate, work.now);
  if (tokensLeft(level, rate, passed) > 0) return true;
  keepLevel(work, key, { ...level, nextAt: nextTokenAt(level, rate, passed) });
  return false;
}

function levelOf({ connection }: Work, key: string): RateLevel {
  const row = connection.sql(LEVEL).get(key);
  return { level: Number(row?.['level'] ?? 0), at: Number(row?.['at'] ?? 0) };
}

function keepLevel(
  { connection }: Work,
  key: string,
  { level, at, nextAt }: RateLevel & { nextAt: number | null },
): void {
  connection.sql(KEEP_LEVEL).run(key, level, at, nextAt);
}

/** Keys whose next token is due by now. */
export function dueKeys(work: Work, limit: number): string[] {
  const due = work.connection.sql(DUE_KEYS).all(work.now, limit);
  return due.map((row) => String(row['key']));
}

/** A claim is a start: it raises the levels of its user and its tenant. */
export function countStart(work: Work, row: KeyColumns & { policy: number }): void {
  if (row.user_key === null && row.organisation_key === null) return;
  const { limits } = work.registry.policy(row.policy);
  for (const gate of [GATE.user, GATE.organisation]) {
    const key = keyAt(gate, gateKeysOf(row));
    if (key === null) continue;
    const level = levelAfter(levelOf(work, key), rateAt(gate, limits), work.now);
    keepLevel(work, key, { ...level, nextAt: null });
  }
}
