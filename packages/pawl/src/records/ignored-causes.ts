import type { Instant } from '../core/clock.ts';
import type { RecordKind, RecordStore } from '../store/records.ts';

/** A cause of failures that somebody wants to see no more, until it comes again. */
export interface IgnoredCause {
  readonly fingerprint: string;
  /** What failed until then is ignored. */
  readonly at: Instant;
  readonly by: string | null;
}

const IGNORED: RecordKind = { name: 'ignored-cause' };
const IGNORED_MAX = 10_000;

/** The repository of causes that are ignored. */
export class IgnoredCauses {
  readonly #records: RecordStore;

  constructor(records: RecordStore) {
    this.#records = records;
  }

  async add(tenant: string, { fingerprint, by }: Omit<IgnoredCause, 'at'>): Promise<void> {
    const body = JSON.stringify({ by });
    await this.#records.write([{ op: 'put', kind: IGNORED, tenant, id: fingerprint, body }]);
  }

  async remove(tenant: string, fingerprint: string): Promise<void> {
    await this.#records.write([{ op: 'remove', kind: IGNORED, tenant, id: fingerprint }]);
  }

  async list(tenant: string): Promise<IgnoredCause[]> {
    const query = { kind: IGNORED, tenants: [tenant], limit: IGNORED_MAX };
    return (await this.#records.list(query)).records.map(({ id, updatedAt, body }) => {
      const { by } = JSON.parse(body) as { by: string | null };
      return { fingerprint: id, at: updatedAt, by };
    });
  }
}
