import type { Instant } from 'pawl/define';
import {
  auditOps,
  type NewAuditEntry,
  type RecordKey,
  type RecordKind,
  type RecordStore,
  type StoredRecord,
} from 'pawl/plugin';
import type { Circuit } from './circuit.ts';

/** A signing secret that only a process with the platform's own keys can read. */
export interface SealedSecret {
  readonly sealed: string;
  /** Null for the one in use; one that was replaced signs too until then. */
  readonly expiresAt: Instant | null;
  /** Names the request that it was made for, so that a repeat makes no other. */
  readonly requestKey?: string;
}

/** What is wished of a webhook, and how it fares. */
export interface WebhookSettings {
  readonly url: string;
  readonly description: string | null;
  /** Types of events. */
  readonly events: readonly string[];
  /** Types of jobs; null for all. */
  readonly types: readonly string[] | null;
  readonly isEnabled: boolean;
  /** Why the platform itself disabled it; null where it did not. */
  readonly disabledReason: string | null;
  /** The newest first. */
  readonly secrets: readonly SealedSecret[];
  /** Since when no delivery has arrived; null after one that has. */
  readonly failingSince: Instant | null;
  readonly circuit: Circuit;
  readonly createdBy: string;
}

export interface WebhookRef {
  readonly tenant: string;
  /** A UUIDv7, so that the order of ids is that of their making. */
  readonly id: string;
}

/** An address of a tenant that is told what happens to its jobs. */
export interface Webhook extends WebhookRef, WebhookSettings {
  /** Rises by one with each write. */
  readonly revision: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** One change, in one transaction with the entries that tell of it. */
export interface WebhookWrite extends WebhookRef {
  /** The revision that it is made to; 0: there is none of this id yet. */
  readonly expected: number;
  /** Null removes it. */
  readonly settings: WebhookSettings | null;
  readonly audit: readonly NewAuditEntry[];
}

export const WEBHOOK: RecordKind = { name: 'webhook' };
const LIMIT = 10_000;

function keyOf({ tenant, id }: WebhookRef): RecordKey {
  return { kind: WEBHOOK, tenant, id };
}

function webhookOf({ tenant, id, body, version, createdAt, updatedAt }: StoredRecord): Webhook {
  const settings = JSON.parse(body) as WebhookSettings;
  return { tenant, id, ...settings, revision: version, createdAt, updatedAt };
}

/** The repository of webhooks. */
export class WebhookRecords {
  readonly #records: RecordStore;

  constructor(records: RecordStore) {
    this.#records = records;
  }

  /** `stale`: it is not of the expected revision, and nothing was written. */
  async write(write: WebhookWrite): Promise<'written' | 'stale'> {
    const { expected: version, settings, audit } = write;
    const key = keyOf(write);
    const change =
      settings === null
        ? ({ op: 'remove', ...key, expected: { version } } as const)
        : ({
            op: 'put',
            ...key,
            body: JSON.stringify(settings),
            expected: version === 0 ? 'absent' : { version },
          } as const);
    const outcome = await this.#records.write([change, ...auditOps(audit)]);
    return outcome.kind === 'written' ? 'written' : 'stale';
  }

  async find(ref: WebhookRef): Promise<Webhook | null> {
    const { records } = await this.#records.read([keyOf(ref)]);
    return records[0] ? webhookOf(records[0]) : null;
  }

  /** Those of a tenant, by id. */
  async page(
    tenant: string,
    page: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<Webhook[]> {
    const { records } = await this.#records.list({ kind: WEBHOOK, tenants: [tenant], ...page });
    return records.map(webhookOf);
  }

  /** Those of some tenants, or of all, by id. */
  async list(tenants: readonly string[] | null): Promise<Webhook[]> {
    const { records } = await this.#records.list({ kind: WEBHOOK, tenants, limit: LIMIT });
    return records.map(webhookOf);
  }
}
