import type { Job } from '../../core/job.ts';
import { isOwned } from '../../core/phase.ts';
import { EMPTY_LEVEL, levelAfter, levelAt, nextTokenAt, tokensLeft } from '../../core/rate.ts';
import { GATE, gateAfter, type GateKeys, gateOfKey, keyAt, rateAt } from '../gate.ts';
import type { Row, Tables } from './tables.ts';

/** The order in line, within a lane and at a gate. */
export function byUrgency(one: Row, other: Row): number {
  return one.rankAt - other.rankAt || one.birth - other.birth;
}

type GateState = Pick<Row, 'isOpen' | 'parkedAt'>;

function gateStateAfter(passed: number, keys: GateKeys): GateState {
  const gate = gateAfter(passed, keys);
  return { isOpen: gate === GATE.open, parkedAt: gate === GATE.open ? null : gate };
}

/** Who is ready and due: open to claims, or at the first gate that has a say. */
export function gateStateOf(keys: GateKeys, isDue: boolean): GateState {
  return isDue ? gateStateAfter(GATE.open, keys) : { isOpen: false, parkedAt: null };
}

/** The keys that these jobs hold or wait for. */
export function touchedBy(
  tables: Tables,
  jobs: Iterable<Pick<Job, 'tenant' | 'id'>>,
): readonly string[] {
  const rows = [...jobs].flatMap((job) => tables.rowOf(job) ?? []);
  const touched = rows.flatMap((row) => [row.limitKey, keyAt(row.parkedAt, row)]);
  return touched.filter((key) => key !== null);
}

/** What a job needs tokens of. */
export function tokenKeysOf(tables: Tables, job: Pick<Job, 'tenant' | 'id'>): readonly string[] {
  const row = tables.rowOf(job);
  return [row?.userKey, row?.organisationKey].filter((key) => key !== undefined && key !== null);
}

/** Lets on whom these keys have room for, gate by gate. */
export function admitKeys(tables: Tables, touched: Iterable<string>): void {
  const keys = new Set(touched);
  for (const gate of [GATE.parked, GATE.user, GATE.organisation]) {
    for (const key of keys) {
      if (gateOfKey(key) !== gate) continue;
      for (const row of admitOne(tables, gate, key)) {
        const next = keyAt(row.parkedAt, row);
        if (next !== null) keys.add(next);
      }
    }
  }
}

function admitOne(tables: Tables, gate: number, key: string): Row[] {
  const own = tables.jobs.values().filter((row) => keyAt(gate, row) === key);
  const line = own.filter(({ parkedAt }) => parkedAt === gate).sort(byUrgency);
  const passed = own.filter(
    ({ job, isOpen, parkedAt }) =>
      isOpen || (parkedAt ?? 0) > gate || (gate === GATE.parked && isOwned(job.phase)),
  ).length;
  const moved: Row[] = [];
  for (const row of line) {
    if (!hasRoom(tables, row, { gate, passed: passed + moved.length })) break;
    moved.push(tables.change(row, { ...row, ...gateStateAfter(gate, row) }));
  }
  if (gate !== GATE.parked)
    planNext(tables, line[moved.length], { gate, passed: passed + moved.length });
  return moved;
}

interface Standing {
  readonly gate: number;
  readonly passed: number;
}

function hasRoom(tables: Tables, row: Row, { gate, passed }: Standing): boolean {
  const { limits } = tables.policyOf(row.job.policy);
  if (gate === GATE.parked) return passed < limits!.runningPerKey!.max;
  const rate = rateAt(gate, limits);
  const record = tables.rates.get(keyAt(gate, row)!) ?? EMPTY_LEVEL;
  return tokensLeft(levelAt(record, rate, tables.clock.now()), rate, passed) > 0;
}

/** Remembers when who is now the first in line should be looked at again. */
function planNext(tables: Tables, head: Row | undefined, { gate, passed }: Standing): void {
  if (head === undefined) return;
  const key = keyAt(gate, head)!;
  const rate = rateAt(gate, tables.policyOf(head.job.policy).limits);
  const level = levelAt(tables.rates.get(key) ?? EMPTY_LEVEL, rate, tables.clock.now());
  tables.rates.set(key, { ...level, key, nextAt: nextTokenAt(level, rate, passed) });
}

/** Keys whose next token is due by now. */
export function dueKeys(tables: Tables, limit: number): string[] {
  const now = tables.clock.now();
  const due = tables.rates
    .values()
    .filter(({ nextAt }) => nextAt !== null && nextAt <= now)
    .sort((one, other) => one.nextAt! - other.nextAt!)
    .slice(0, limit);
  for (const record of due) tables.rates.set(record.key, { ...record, nextAt: null });
  return due.map(({ key }) => key);
}

/** A claim is a start: it raises the levels of its user and its tenant. */
export function countStart(tables: Tables, row: Row): void {
  const { limits } = tables.policyOf(row.job.policy);
  for (const gate of [GATE.user, GATE.organisation]) {
    const key = keyAt(gate, row);
    if (key === null) continue;
    const record = tables.rates.get(key);
    const level = levelAfter(record ?? EMPTY_LEVEL, rateAt(gate, limits), tables.clock.now());
    tables.rates.set(key, { nextAt: record?.nextAt ?? null, ...level, key });
  }
}
