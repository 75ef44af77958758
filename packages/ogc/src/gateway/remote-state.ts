import type { Instant, Job } from 'pawl/define';
import type { StatusInfo } from '../model/status-info.ts';

/** Nothing is on its way: it may be sent, as nothing that was sent before has arrived. */
export interface Idle {
  readonly step: 'idle';
  readonly tries: number;
}

/** Written before a request leaves: found later, it says that one may have arrived. */
export interface Sending {
  readonly step: 'sending';
  readonly tries: number;
  readonly sentAt: Instant;
}

/** The provider has the job. */
export interface Following {
  readonly step: 'following';
  readonly remoteId: string;
  /** The likeliest first; all at the provider's origin. */
  readonly statusUrls: readonly string[];
  /** As the provider linked them. */
  readonly resultsHref: string | null;
  readonly since: Instant;
  /** As it was last told, in our own words. */
  readonly status: StatusInfo;
  /** Polls in a row that brought nothing, and how many of them said that there is no such job. */
  readonly failures: number;
  readonly gone: number;
}

/** What is known of the remote side, as the checkpoint of a job keeps it; null before all. */
export type RemoteState = Idle | Sending | Following;

/** What a job of the gateway is given. */
export interface ExecutionInput {
  readonly provider: string;
  readonly process: string;
  /** The body that is sent on. */
  readonly request: Readonly<Record<string, unknown>>;
}

/** The remote side of a stored job, or null where nothing is known of it. */
export function remoteStateOf({ checkpoint }: Pick<Job, 'checkpoint'>): RemoteState | null {
  if (checkpoint === null) return null;
  const state = JSON.parse(checkpoint) as Partial<RemoteState> | null;
  return state?.step === undefined ? null : (state as RemoteState);
}
