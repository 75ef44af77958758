import type { SQLInputValue } from 'node:sqlite';
import type { MovedPart } from '../moving.ts';
import { StoreError } from '../store-error.ts';
import { type MovedJob, type MovedRest, partOfText } from './moving-rows.ts';
import { changing } from './purge.ts';
import type { Row } from './row.ts';
import { tenantStanding } from './moving-out.ts';
import type { Work } from './work.ts';

/** Prepares for a tenant; false where it has arrived. What an earlier stay has left goes. */
export function expectTenant(work: Work, tenant: string, generation: number): boolean {
  const { connection, names } = work;
  const number = names.makeTenant(tenant);
  if (tenantStanding(work, tenant).generation >= generation) return false;
  if (connection.sql('arriving').get(number)?.['arriving'] === generation) return true;
  const keys = connection.sql('facts_of_tenant').all(number);
  for (const { key } of keys) dropJob(work, Number(key));
  connection.sql('set_arriving').run(number, generation);
  return true;
}

const TABLES = ['stages', 'details', 'positions', 'annotations', 'texts', 'notes_of', 'moved'];

function dropJob(work: Work, key: number): void {
  const keys = JSON.stringify([key]);
  changing(work, () => {
    for (const name of [...TABLES, 'ended', 'facts'])
      work.connection.sql(`purge_${name}`).run(keys);
  });
}

/** A job that lives is not replaced: it came with an earlier try, and may have moved on since. */
export function takeParts(
  work: Work,
  tenant: string,
  generation: number,
  parts: readonly MovedPart[],
): void {
  const number = work.names.findTenant(tenant);
  const row = number === null ? undefined : work.connection.sql('arriving').get(number);
  if (row?.['arriving'] !== generation || Number(row['generation']) >= generation) {
    const message = `tenant "${tenant}" is not expected here: it has arrived already`;
    throw new StoreError('refused', message);
  }
  for (const part of parts.map(partOfText)) {
    if (part.kind === 'rest') takeRest(work, number!, part);
    else takeJob(work, number!, part);
  }
}

export function arrive(work: Work, tenant: string, generation: number): void {
  const { connection, names } = work;
  connection.sql('set_arrived').run(names.findTenant(tenant), generation);
  names.forget();
}

function insertRow({ connection }: Work, table: string, row: Row): number {
  const columns = Object.keys(row);
  const places = columns.map(() => '?').join(', ');
  const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`;
  return Number(
    connection.text(text).run(...(Object.values(row) as SQLInputValue[])).lastInsertRowid,
  );
}

interface Arriving {
  readonly key: number;
  readonly lane: number;
  readonly lifecycle: number;
  readonly policy: number;
  readonly tenant: number;
}

function takeJob(work: Work, tenant: number, job: MovedJob): void {
  const { connection, names } = work;
  const { queue, type, facts } = job;
  const found = connection.sql('key_of_id').get(tenant, facts['id']!)?.['key'];
  if (found !== undefined) {
    if (job.live !== null) return;
    dropJob(work, Number(found));
  }
  const own = {
    tenant,
    lane: names.makeLane({ tenant, queue, type }).number,
    lifecycle: names.lifecycle(job.lifecycle).number,
    policy: names.makePolicy(job.policy),
  };
  const { key: _key, ...rest } = facts;
  const at = { ...own, key: insertRow(work, 'facts', { ...rest, ...own, sum: null }) };
  const ns = takeEntries(work, at, job);
  connection.sql('put_meta').run('may_change', 'moving');
  if (job.live !== null) takeLive(work, at, job, ns);
  takeBeside(work, at, job, ns);
  connection.sql('put_meta').run('may_change', 'no');
}

/** Below zero, where no reader of the log comes: nothing of it is new. */
function nextNumber({ connection }: Work, table: 'log' | 'notes'): number {
  return (
    Math.min(
      0,
      Number(connection.sql(table === 'log' ? 'first_log' : 'first_note_numbers').get()!['n'] ?? 0),
    ) - 1
  );
}

function takeEntries(work: Work, at: Arriving, job: MovedJob): ReadonlyMap<number, number> {
  const ns = new Map<number, number>();
  const { key, lane, lifecycle } = at;
  for (const row of job.entries) {
    const n = nextNumber(work, 'log');
    ns.set(row['n'] as number, n);
    insertRow(work, 'log', { ...row, n, lane, lifecycle, jobs: `[${key}]`, sum: null });
  }
  for (const row of job.texts) {
    const n = ns.get(row['n'] as number);
    if (n !== undefined) insertRow(work, 'log_texts', { ...row, key, n, sum: null });
  }
  for (const row of job.notes) {
    insertRow(work, 'notes', { ...row, n: nextNumber(work, 'notes'), key, lane, lifecycle });
  }
  return ns;
}

function renumbered(row: Row, ns: ReadonlyMap<number, number>): Row {
  const one = (name: string): number | null => ns.get(row[name] as number) ?? null;
  const more = row['more_n'] as string | null;
  return {
    ...row,
    born_n: one('born_n'),
    claim_n: one('claim_n'),
    more_n: more === null ? null : listOf(more, ns),
  };
}

function listOf(text: string, ns: ReadonlyMap<number, number>): string {
  return JSON.stringify((JSON.parse(text) as number[]).flatMap((n) => ns.get(n) ?? []));
}

function takeLive(work: Work, at: Arriving, job: MovedJob, ns: ReadonlyMap<number, number>): void {
  const { names } = work;
  const { key, lifecycle, policy, tenant } = at;
  const { queue, type, owner, facts } = job;
  const revision = job.live!['revision'] as string | null;
  const isPinned = ((job.live!['flags'] as number) & 32) > 0;
  const claimType = isPinned ? `${type}@${revision}` : type;
  const lane = names.makeLane({ tenant, queue, type }, claimType).number;
  const live = { ...renumbered(job.live!, ns), key, lane, lifecycle, policy };
  insertRow(work, 'live', { ...live, owner: owner === null ? null : names.makeOwner(owner) });
  if (job.keys === null) return;
  const columns = ['limit_key', 'user_key', 'organisation_key', 'active_key'];
  const from = facts['tenant'] as number;
  const own = columns.map((name) => [name, keyFor(job.keys![name] as string | null, from, tenant)]);
  insertRow(work, 'keys', { ...job.keys, ...(Object.fromEntries(own) as Row), key, policy });
}

/** What limits count under has the tenant's number in it: first, or behind that of a line. */
function keyFor(key: string | null, from: number, to: number): string | null {
  return (
    key?.replace(new RegExp(`^(\\d )?${from} `), (_, line: string = '') => `${line}${to} `) ?? null
  );
}

function takeBeside(
  work: Work,
  at: Arriving,
  job: MovedJob,
  ns: ReadonlyMap<number, number>,
): void {
  const { key, tenant } = at;
  if (job.details !== null) insertRow(work, 'details', { ...job.details, key });
  for (const { n: _n, ...row } of job.stages) insertRow(work, 'stages', { ...row, key });
  for (const row of job.positions) {
    insertRow(work, 'positions', { ...row, key, ns: listOf(row['ns'] as string, ns) });
  }
  if (job.ended !== null) {
    const { ended } = job;
    const end = ns.get(ended['end_n'] as number) ?? 0;
    const row: Row = { ...renumbered(ended, ns), key, end_n: end, sum: null };
    if (ended['tenant'] !== null) row['tenant'] = tenant;
    insertRow(work, 'ended', row);
  }
  for (const row of job.annotations) {
    insertRow(work, 'annotations', { ...row, key, n: ns.get(row['n'] as number) ?? 0 });
  }
}

function takeRest(work: Work, tenant: number, rest: MovedRest): void {
  for (const row of rest.records) {
    const known = work.connection
      .text('SELECT 1 FROM records WHERE kind = ? AND tenant = ? AND id = ?')
      .get(row['kind']!, row['tenant']!, row['id']!);
    if (known === undefined) insertRow(work, 'records', row);
  }
  for (const table of ['limits', 'idempotency_keys', 'unique_keys'] as const) {
    work.connection.text(`DELETE FROM ${table} WHERE tenant = ?`).run(tenant);
    for (const row of rest[table]) insertRow(work, table, { ...row, tenant });
  }
  for (const row of rest.rate_levels) {
    const key = keyFor(row['key'] as string, rest.tenant, tenant);
    work.connection.text('DELETE FROM rate_levels WHERE key = ?').run(key);
    insertRow(work, 'rate_levels', { ...row, key });
  }
}
