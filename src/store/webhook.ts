import type { Instant } from '../core/clock.ts';
import type { NewAuditEntry } from './access-key.ts';

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

/** Webhooks, of which no job depends on any. */
export interface WebhookStore {
  /** `stale`: it is not of the expected revision, and nothing was written. */
  writeWebhook(write: WebhookWrite): Promise<'written' | 'stale'>;
  /** Those of some tenants, or one of them, by id. */
  webhooks(of: { readonly tenants: readonly string[]; readonly id?: string }): Promise<Webhook[]>;
}
