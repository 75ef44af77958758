import type { Instant } from '../core/clock.ts';
import type { PutOp, RecordKind, RecordStore } from '../store/records.ts';
import { atOf, HISTORY_KEPT_MS, idAt, purgeDue } from './history-time.ts';

/** From when on a worker ran a version. */
export interface VersionRun {
  readonly since: Instant;
  readonly version: string;
}

const RUN: RecordKind = { name: 'worker-version', tags: ['worker'], keptIn: 'first' };
/** So often one worker is looked back for: who starts more often under one name is not told. */
const RUNS_MAX = 50;

/** Kept for as long as history is, long after the worker is gone. */
export function versionRunOp(
  { tenant, id, version }: { tenant: string; id: string; version: string },
  at: Instant,
): PutOp {
  return {
    op: 'put',
    kind: RUN,
    tenant,
    id: idAt(at, id),
    body: JSON.stringify({ version }),
    tags: { worker: id },
    dueAt: at + HISTORY_KEPT_MS.hour,
  };
}

/** The repository of which worker ran which version when. */
export class WorkerVersions {
  readonly #records: RecordStore;

  constructor(records: RecordStore) {
    this.#records = records;
  }

  /** Of a worker that takes a tenant's jobs, the latest first. */
  async list(tenant: string, worker: string): Promise<VersionRun[]> {
    const { records } = await this.#records.list({
      kind: RUN,
      tenants: ['', tenant],
      tags: { worker },
      order: 'descending',
      limit: RUNS_MAX,
    });
    return records.map(({ id, body }) => ({
      since: atOf(id),
      version: (JSON.parse(body) as { version: string }).version,
    }));
  }

  purge(limit: number): Promise<number> {
    return purgeDue(this.#records, [RUN], limit);
  }
}
