import type { SQLInputValue } from 'node:sqlite';
import type { Job, JobRef } from '../../core/job.ts';
import type { StageResult } from '../stage-result.ts';
import { bytesToFind, JOB_COLUMNS, type JobRow, jobOfRow } from './row.ts';
import type { Work } from './work.ts';

const READ = `SELECT ${JOB_COLUMNS} FROM jobs WHERE tenant_id = ? AND id = ?`;

export function readJobs(work: Work, refs: readonly JobRef[]): (Job | null)[] {
  return refs.map(({ tenant, id }) => {
    const tenantId = work.registry.findTenant(tenant);
    const bytes = bytesToFind(id);
    if (tenantId === null || bytes === null) return null;
    const row = work.connection.sql(READ).get(tenantId, bytes);
    return row === undefined ? null : jobOfRow(work.registry, row as JobRow);
  });
}

/** Conditions joined by AND, with their values: what a filter becomes. */
export class Conditions {
  readonly texts: string[] = [];
  readonly values: SQLInputValue[] = [];

  /** Undefined asks for nothing; null is a value that no row has. */
  add(text: string, value: SQLInputValue | undefined): void {
    if (value === undefined) return;
    this.addAll(text, [value]);
  }

  /** One condition with several values. */
  addAll(text: string, values: readonly SQLInputValue[]): void {
    this.texts.push(text);
    this.values.push(...values);
  }

  /** These and one more. */
  with(text: string, value: SQLInputValue | undefined): Conditions {
    const all = new Conditions();
    all.texts.push(...this.texts);
    all.values.push(...this.values);
    all.add(text, value);
    return all;
  }

  get where(): string {
    return this.texts.join(' AND ');
  }
}

export function bytesIfAny(id: string | undefined): Uint8Array | null | undefined {
  return id === undefined ? undefined : bytesToFind(id);
}

const SEQ_OF = 'SELECT seq FROM jobs WHERE tenant_id = ? AND id = ?';
const STAGES = 'SELECT name, result, at FROM stages WHERE job_seq = ? ORDER BY kept';

/** The number by which a job's own tables know it; null for a job that is not there. */
export function seqOf({ connection, registry }: Work, { tenant, id }: JobRef): number | null {
  const tenantId = registry.findTenant(tenant);
  const bytes = bytesToFind(id);
  if (tenantId === null || bytes === null) return null;
  return (connection.sql(SEQ_OF).get(tenantId, bytes)?.['seq'] as number | undefined) ?? null;
}

export function stagesOf({ connection }: Work, seq: number): StageResult[] {
  return connection
    .sql(STAGES)
    .all(seq)
    .map((row) => ({
      name: row['name'] as string,
      result: row['result'] as string,
      at: row['at'] as number,
    }));
}

export function readStages(work: Work, ref: JobRef): StageResult[] {
  const seq = seqOf(work, ref);
  return seq === null ? [] : stagesOf(work, seq);
}
