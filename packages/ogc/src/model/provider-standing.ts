import type { Instant } from 'pawl/define';

/** What one process has seen of a provider's answers lately. */
export interface ProviderPulse {
  /** Requests that ended within the window, those that failed among them. */
  readonly calls: number;
  readonly failures: number;
  /** Failures since the last request that went well. */
  readonly failuresInARow: number;
  readonly lastSuccessAt: Instant | null;
  readonly lastFailureAt: Instant | null;
  /** Why the last one failed, in a few words without content; null where none did. */
  readonly lastFault: string | null;
  /** Of the requests that went well; null where there were none within the window. */
  readonly latency: {
    readonly p50Ms: number;
    readonly p95Ms: number;
    readonly p99Ms: number;
  } | null;
}

/** A provider as it is configured, and how it does. */
export interface ProviderStanding extends ProviderPulse {
  readonly name: string;
  readonly title: string | null;
  readonly url: string;
  readonly isAnonymous: boolean;
  readonly pollIntervalMs: number;
  /** Its processes are not asked for before this time, since the last look at them failed. */
  readonly leftAloneUntil: Instant | null;
}

/** What the API asks of the gateway to providers. */
export interface ProviderAccess {
  /** From when on, and over how long, this process has watched. */
  readonly watch: { readonly since: Instant; readonly windowMs: number };
  standings(): readonly ProviderStanding[];
  /** Whose jobs are of a type; null where they are nobody's elsewhere. */
  providerOfType(type: string): string | null;
}
