import type { LimitPolicy } from '../../core/limits.ts';
import { levelAfter, levelAt, nextTokenAt, type RateLevel, tokensLeft } from '../../core/rate.ts';
import { GATE, gateAfter, type GateKeys, gateOfKey, keyAt, rateAt } from '../gate.ts';
import type { Row } from './row.ts';
import type { Work } from './work.ts';

/** A row of `keys`. */
export interface KeysRow extends Row {
  key: number;
  policy: number;
  limit_key: string | null;
  user_key: string | null;
  organisation_key: string | null;
}

export function gateKeysIn(row: KeysRow): GateKeys {
  return {
    limitKey: row.limit_key,
    userKey: row.user_key,
    organisationKey: row.organisation_key,
  };
}

export function keysOf({ connection }: Work, key: number): KeysRow {
  return connection.sql('keys').get(key) as KeysRow;
}

/** By gate: who waits there, and how many have passed it. */
const LINES: Readonly<Record<number, { line: string; passed: string }>> = {
  [GATE.parked]: { line: 'slot_line', passed: 'slot_taken' },
  [GATE.user]: { line: 'user_line', passed: 'user_open' },
  [GATE.organisation]: { line: 'organisation_line', passed: 'organisation_open' },
};

/** The keys that a call has touched: they are looked at before it ends. */
export class TouchedKeys {
  readonly #keys = new Set<string>();

  /** Of a job that was written, with the gate where it now stands. */
  add(row: KeysRow, gate: number | null): void {
    this.touch(row.limit_key);
    this.touch(keyAt(gate, gateKeysIn(row)));
  }

  touchTokens({ user_key, organisation_key }: KeysRow): void {
    this.touch(user_key);
    this.touch(organisation_key);
  }

  touch(key: string | null): void {
    if (key !== null) this.#keys.add(key);
  }

  /** Lets on whom the keys have room for, gate by gate. */
  admit(work: Work): void {
    for (const gate of [GATE.parked, GATE.user, GATE.organisation]) {
      for (const key of this.#keys) if (gateOfKey(key) === gate) this.#admitAt(work, key);
    }
  }

  #admitAt(work: Work, key: string): void {
    const { connection, names } = work;
    const gate = gateOfKey(key);
    const { line, passed: counted } = LINES[gate]!;
    let passed: number | null = null;
    for (;;) {
      const row = connection.sql(line).get(key) as KeysRow | undefined;
      if (row === undefined) return;
      passed ??= Number(connection.sql(counted).get(key)!['count']);
      const { limits } = names.policy(row.policy);
      if (!hasRoom(work, { key, gate, passed, limits })) return;
      const keys = gateKeysIn(row);
      const next = gateAfter(gate, keys);
      connection.sql('pass_gate').run(row.key, next);
      connection.sql('set_gate').run(row.key, next);
      this.touch(keyAt(next, keys));
      passed += 1;
    }
  }
}

interface Waiting {
  readonly key: string;
  readonly gate: number;
  readonly passed: number;
  readonly limits: LimitPolicy | undefined;
}

/** Where there is no token, also remembers when to look again. */
function hasRoom(work: Work, { key, gate, passed, limits }: Waiting): boolean {
  if (gate === GATE.parked) return passed < limits!.runningPerKey!.max;
  const rate = rateAt(gate, limits);
  const level = levelAt(levelOf(work, key), rate, work.now);
  if (tokensLeft(level, rate, passed) > 0) return true;
  keepLevel(work, key, { ...level, nextAt: nextTokenAt(level, rate, passed) });
  return false;
}

function levelOf({ connection }: Work, key: string): RateLevel {
  const row = connection.sql('level').get(key);
  return { level: Number(row?.['level'] ?? 0), at: Number(row?.['at'] ?? 0) };
}

function keepLevel(
  { connection }: Work,
  key: string,
  { level, at, nextAt }: RateLevel & { nextAt: number | null },
): void {
  connection.sql('put_level').run(key, level, at, nextAt);
}

/** A claim is a start: it raises the levels of its user and its tenant. */
export function countStart(work: Work, row: KeysRow): void {
  const { limits } = work.names.policy(row.policy);
  for (const gate of [GATE.user, GATE.organisation]) {
    const key = keyAt(gate, gateKeysIn(row));
    if (key === null) continue;
    const level = levelAfter(levelOf(work, key), rateAt(gate, limits), work.now);
    keepLevel(work, key, { ...level, nextAt: null });
  }
}
