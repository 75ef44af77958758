import {
  type Departed,
  type Departure,
  NAMING_KINDS,
  type PackedJobs,
  type MovedPart,
  STAYING_KINDS,
  type TenantStanding,
} from '../moving.ts';
import { StoreError } from '../store-error.ts';
import { entryOf, positionsOf } from './history.ts';
import { lastNumber } from './log.ts';
import { listOfRows, type MovedJob, type MovedRest, textOfPart } from './moving-rows.ts';
import type { JobRow, Row } from './row.ts';
import type { Work } from './work.ts';

/** Rows of a tenant's own that are not of one job. */
const BESIDE = ['limits', 'idempotency_keys', 'unique_keys'] as const;

export function tenantStanding({ connection }: Work, tenant: string): TenantStanding {
  const row = connection.sql('tenant_standing').get(tenant);
  return {
    generation: Number(row?.['generation'] ?? 1),
    leftFor: (row?.['left_for'] ?? null) as string | null,
  };
}

export function markLog({ connection }: Work): number {
  return lastNumber(connection);
}

export function packEnded(
  work: Work,
  tenant: string,
  after: string | null,
  limit: number,
): PackedJobs {
  const number = work.names.findTenant(tenant);
  if (number === null) return { parts: [], jobs: 0, next: null };
  const rows = work.connection.sql('ended_of_tenant').all(number, Number(after ?? 0), limit);
  const keys = rows.map(({ key }) => Number(key));
  return {
    parts: keys.map((key) => packJob(work, key)),
    jobs: keys.length,
    next: keys.length < limit ? null : String(keys.at(-1)),
  };
}

export function packSince(work: Work, tenant: string, since: number, to: number): PackedJobs {
  const number = work.names.findTenant(tenant);
  const keys = keysIn(work.connection.sql('ended_since').all(since, to, number));
  return { parts: keys.map((key) => packJob(work, key)), jobs: keys.length, next: null };
}

/** A job by names where the tables have numbers, with its history. */
function packJob(work: Work, key: number): MovedPart {
  const { connection, names } = work;
  const row = (table: string): Row | null => connection.sql(`all_of_${table}`).get(key) ?? null;
  const rows = (table: string): Row[] => connection.sql(`all_of_${table}`).all(key);
  const facts = row('facts')!;
  const live = row('live');
  const { queue, type } = names.laneOf(facts['lane'] as number);
  const lifecycle = names.lifecycleOf(facts['lifecycle'] as number);
  const job = connection.lists('job_by_key').get(key) as unknown as JobRow;
  const positions = positionsOf(work, job, { version: 0, limit: Infinity });
  const owner = (live?.['owner'] ?? null) as number | null;
  const moved: MovedJob = {
    kind: 'job',
    queue,
    type,
    lifecycle: { lifecycle: lifecycle.name, lifecycleVersion: lifecycle.version },
    policy: names.policy(facts['policy'] as number),
    owner: owner === null ? null : names.ownerName(owner),
    facts,
    live,
    keys: row('keys'),
    details: row('details'),
    ended: row('ended'),
    stages: rows('stages'),
    annotations: rows('annotations'),
    positions: rows('positions'),
    entries: packEntries(work, key, positions),
    texts: rows('texts'),
    notes: rows('notes'),
  };
  return textOfPart(moved);
}

/** Each as it is of this job alone. */
function packEntries({ connection }: Work, key: number, positions: readonly number[]): Row[] {
  const entries = connection.sql('entries').all(JSON.stringify(positions)).map(entryOf);
  return entries.map(({ row, jobs, lists }) => {
    const at = jobs.indexOf(key);
    const own = Object.entries(lists).map(([name, list]) => [name, `[${list[at] ?? list[0]}]`]);
    return { ...row, ...(Object.fromEntries(own) as Row) };
  });
}

/** All that lives leaves: it is written down whole, and then it is not here any more. */
export function depart(work: Work, tenant: string, { to, generation, since }: Departure): Departed {
  const { connection, names } = work;
  const number = names.makeTenant(tenant);
  const standing = tenantStanding(work, tenant);
  if (standing.leftFor === to && standing.generation === generation) {
    return { live: 0, ended: 0, records: 0 };
  }
  names.checkStays(tenant);
  if (standing.generation !== generation - 1) {
    const message = `tenant "${tenant}" has moved meanwhile: its generation is`;
    throw new StoreError('refused', `${message} ${standing.generation}`);
  }
  const live = keysIn(connection.sql('live_of_tenant').all(number));
  const touched = keysIn(connection.sql('ended_since').all(since, lastNumber(connection), number));
  const records = movingRecords(work, tenant);
  const rest = packRest(work, number, records);
  const parts = [rest, ...[...live, ...touched].map((key) => packJob(work, key))];
  for (const [part, body] of parts.entries()) {
    connection.sql('add_departure').run(number, part + 1, body);
  }
  leave(work, number, { live, records });
  connection.sql('set_left').run(number, to, generation);
  names.forget();
  return { live: live.length, ended: touched.length, records: records.length };
}

function keysIn(rows: readonly Row[]): number[] {
  return rows.map(({ key }) => Number(key));
}

function movingRecords({ connection }: Work, tenant: string): Row[] {
  const staying = STAYING_KINDS.map(() => 'kind LIKE ?').join(' OR ');
  const naming = NAMING_KINDS.map(() => '?').join(', ');
  return [
    ...connection
      .text(`SELECT * FROM records WHERE tenant = ? AND NOT (${staying})`)
      .all(tenant, ...STAYING_KINDS),
    ...connection
      .text(
        `SELECT * FROM records WHERE kind IN (${naming}) AND tenant = ''
           AND body ->> '$.tenant' = ?`,
      )
      .all(...NAMING_KINDS, tenant),
  ];
}

function packRest({ connection }: Work, tenant: number, records: readonly Row[]): MovedPart {
  const [limits, idempotency, unique] = BESIDE.map((table) =>
    connection.text(`SELECT * FROM ${table} WHERE tenant = ?`).all(tenant),
  );
  const rates = ['4', '5'].flatMap((line) =>
    connection.sql('rates_of_tenant').all(`${line} ${tenant} `, `${line} ${tenant}!`),
  );
  const rest: MovedRest = {
    kind: 'rest',
    tenant,
    records: listOfRows(records),
    limits: limits!,
    idempotency_keys: idempotency!,
    unique_keys: unique!,
    rate_levels: rates,
  };
  return textOfPart(rest);
}

function leave(
  work: Work,
  tenant: number,
  { live, records }: { live: readonly number[]; records: readonly Row[] },
): void {
  const { connection } = work;
  const keys = JSON.stringify(live);
  connection.sql('put_meta').run('may_change', 'moving');
  for (const table of ['keys', 'live']) connection.sql(`leave_${table}`).run(keys);
  connection.sql('put_meta').run('may_change', 'no');
  for (const table of BESIDE) connection.text(`DELETE FROM ${table} WHERE tenant = ?`).run(tenant);
  for (const { seq } of records) connection.text('DELETE FROM records WHERE seq = ?').run(seq!);
}

export function departed(
  { connection, names }: Work,
  tenant: string,
  after: number,
  limit: number,
): { parts: MovedPart[]; next: number | null } {
  const number = names.findTenant(tenant);
  const rows = connection.sql('departures').all(number, after, limit);
  const next = rows.length < limit ? null : Number(rows.at(-1)!['part']);
  return { parts: rows.map(({ body }) => String(body)), next };
}

export function settle({ connection, names }: Work, tenant: string): void {
  connection.sql('drop_departures').run(names.findTenant(tenant));
}
