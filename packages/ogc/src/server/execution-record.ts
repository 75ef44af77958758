import type { Job } from 'pawl/define';
import type { ExecuteRequest } from '../model/process-source.ts';
import type { Subscriber } from './execute-request.ts';

/** What a job remembers of the execution that it came from, beside its input. */
export interface ExecutionRecord {
  /** Where the API was for whoever asked, for links that are made without a request. */
  readonly base: string;
  readonly response: 'raw' | 'document';
  readonly outputs: Readonly<Record<string, { readonly transmissionMode?: string }>>;
  readonly subscriber?: Subscriber;
  /** Begun by a caller without a credential, where others have one. */
  readonly isGuests?: boolean;
}

/** The member of a job's metadata under which it is kept. */
const MEMBER = 'ogcExecution';

export function recordOf(
  request: ExecuteRequest,
  { base, isGuests }: { base: string; isGuests: boolean },
): Record<string, unknown> {
  const { response = 'raw', outputs = {}, subscriber } = request;
  const record = {
    base,
    response,
    outputs,
    ...(subscriber === undefined ? {} : { subscriber }),
    ...(isGuests ? { isGuests } : {}),
  };
  return { [MEMBER]: record };
}

/** Null for a job that was not made by an execution. */
export function recordIn(job: Job): ExecutionRecord | null {
  if (job.metadata === null || !job.metadata.includes(MEMBER)) return null;
  const metadata = JSON.parse(job.metadata) as Record<string, ExecutionRecord | undefined>;
  return metadata[MEMBER] ?? null;
}
