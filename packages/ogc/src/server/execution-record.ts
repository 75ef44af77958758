import type { Job } from 'pawl/define';
import type { ExecuteRequest } from '../model/process-source.ts';
import type { Subscriber } from './execute-request.ts';

/** What a job remembers of the execution that it came from, beside its input. */
export interface ExecutionRecord {
  /** Where the API was for whoever asked, for links that are made without a request. */
  readonly base: string;
  /** `negotiated`: as the 2.0 draft has it, by what is accepted and preferred. */
  readonly response: 'raw' | 'document' | 'negotiated';
  readonly outputs: Readonly<Record<string, { readonly transmissionMode?: string }>>;
  readonly subscriber?: Subscriber;
  /** By the 2.0 draft: nothing is to be given of its outputs. */
  readonly isEmpty?: boolean;
  /** Begun by a caller without a credential, where others have one. */
  readonly isGuests?: boolean;
}

/** The member of a job's metadata under which it is kept. */
const MEMBER = 'ogcExecution';

export function recordOf(
  request: ExecuteRequest,
  { base, isGuests, isDraft2 }: { base: string; isGuests: boolean; isDraft2: boolean },
): Record<string, unknown> {
  const { outputs = {}, subscriber } = request;
  const isByDraft = isDraft2 && !isOfVersion1(request);
  const isEmpty = isByDraft && request.outputs !== undefined && Object.keys(outputs).length === 0;
  const record = {
    base,
    response: isByDraft ? 'negotiated' : (request.response ?? 'raw'),
    outputs,
    ...(isEmpty ? { isEmpty } : {}),
    ...(subscriber === undefined ? {} : { subscriber }),
    ...(isGuests ? { isGuests } : {}),
  };
  return { [MEMBER]: record };
}

/** The draft has neither of these members: who sends them is a client of 1.0. */
export function isOfVersion1({ response, outputs = {} }: ExecuteRequest): boolean {
  const wishes = Object.values(outputs) as readonly ({ transmissionMode?: unknown } | null)[];
  return response !== undefined || wishes.some((one) => one?.transmissionMode !== undefined);
}

/** Null for a job that was not made by an execution. */
export function recordIn(job: Job): ExecutionRecord | null {
  if (job.metadata === null || !job.metadata.includes(MEMBER)) return null;
  const metadata = JSON.parse(job.metadata) as Record<string, ExecutionRecord | undefined>;
  return metadata[MEMBER] ?? null;
}
