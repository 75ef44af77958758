import type { Instant } from '../core/clock.ts';
import type { JsonText } from '../core/job.ts';
import type { RecordKind, RecordOp, RecordStore } from '../store/records.ts';
import { StoreError } from '../store/store-error.ts';

/** Something that an administrator did, told by who did it. Entries are only ever added. */
export interface AuditEntry {
  readonly tenant: string;
  /** UUIDv7: lists are by descending id. */
  readonly id: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  /** What changed, without any secret. */
  readonly details: JsonText | null;
  readonly at: Instant;
}

/** A new entry of the audit log. */
export type NewAuditEntry = Omit<AuditEntry, 'at'>;

export interface AuditQuery {
  readonly tenant: string;
  readonly limit: number;
  readonly before?: string;
}

export const AUDIT: RecordKind = { name: 'audit' };

type Body = Pick<AuditEntry, 'actor' | 'action' | 'subject' | 'details'>;

/** Audit entries as record operations, for the transaction of the change that they describe. */
export function auditOps(entries: readonly NewAuditEntry[]): RecordOp[] {
  return entries.map(({ tenant, id, actor, action, subject, details }) => {
    const body: Body = { actor, action, subject, details };
    return {
      op: 'put',
      kind: AUDIT,
      tenant,
      id,
      body: JSON.stringify(body),
      expected: 'absent',
    };
  });
}

/** The audit log. */
export class AuditLog {
  readonly #records: RecordStore;

  constructor(records: RecordStore) {
    this.#records = records;
  }

  async add(entries: readonly NewAuditEntry[]): Promise<void> {
    const outcome = await this.#records.write(auditOps(entries));
    if (outcome.kind === 'written') return;
    throw new StoreError(
      'refused',
      `the audit log already has an entry ${outcome.found?.id}: use a new id`,
    );
  }

  /** The newest first. */
  async list({ tenant, limit, before }: AuditQuery): Promise<AuditEntry[]> {
    const order = 'descending';
    const query = { kind: AUDIT, tenants: [tenant], limit, before, order } as const;
    const { records } = await this.#records.list(query);
    return records.map(({ id, body, createdAt }) => {
      const { actor, action, subject, details } = JSON.parse(body) as Body;
      return { tenant, id, actor, action, subject, details, at: createdAt };
    });
  }
}
