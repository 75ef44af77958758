import type { Job } from 'pawl/define';
import type { Requester } from 'pawl/plugin';
import type { ProcessDescription, ProcessSummary } from './process-description.ts';
import type { StatusInfo } from './status-info.ts';

/** On whose behalf: taken from the credential, never from the request. */
export interface ProcessCaller extends Requester {
  readonly tenant: string;
}

/** The body of an execution, as it was sent, once its shape was checked. */
export interface ExecuteRequest {
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly response?: 'raw' | 'document';
  readonly subscriber?: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/** The job that carries an execution out. */
export interface PreparedJob {
  readonly type: string;
  readonly input: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** A larger input is kept outside the job's row, by reference. */
  readonly inlineBytesMax?: number;
}

/** One output: a JSON value, bytes with a media type, or a file that is had elsewhere. */
export interface OutputValue {
  readonly value: unknown;
  readonly mediaType?: string;
  /** Where the value is, if it is given by reference only; of own outputs below this API's base. */
  readonly href?: string;
  /** The value as bytes that are streamed: alone they are an answer, beside others a reference. */
  readonly file?: { readonly body: AsyncIterable<Uint8Array>; readonly size: number };
}

/** A body as it is to be sent. */
export interface AnsweredBody {
  readonly contentType: string;
  /** Others that say what the body is. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** Where the body is streamed; left out where it is not known. */
  readonly size?: number;
}

/**
 * What a job brought. `outputs` are values that the server shapes as it was asked; `answer` is a
 * body that has its shape already, because the request went on to its provider as it was;
 * `references` are links alone.
 */
export type ProcessResults =
  | { readonly kind: 'outputs'; readonly outputs: Readonly<Record<string, OutputValue>> }
  | ({ readonly kind: 'answer' } & AnsweredBody)
  | { readonly kind: 'references'; readonly linkHeaders: readonly string[] };

/** Where processes come from: Pawl's own types, or providers elsewhere. */
export interface ProcessSource {
  /** Its processes are deployed, replaced and undeployed by requests. */
  readonly isMutable?: boolean;
  /** True for the types of the jobs that `prepare` gives. */
  owns(type: string, tenant: string): boolean | Promise<boolean>;
  /** True for a job that it has prepared, where the type does not say it. */
  hasPrepared?(job: Job): boolean;
  /** Whether a process may be the caller's, as far as that is known without asking a provider. */
  isOpenTo?(caller: ProcessCaller, id: string): boolean;
  /** The id of the process at an address, where a provider offers it; null: none does. */
  processAt?(href: string): string | null;
  list(caller: ProcessCaller): Promise<readonly ProcessSummary[]>;
  /** Null: it does not know that id. */
  describe(caller: ProcessCaller, id: string): Promise<ProcessDescription | null>;
  /** Checks an execution; throws PawlError VALIDATION_ERROR. Null: it does not know that id. */
  prepare(caller: ProcessCaller, id: string, request: ExecuteRequest): Promise<PreparedJob | null>;
  /** Whether a job of its own is carried out elsewhere. Default: where `isTakenOn` is there. */
  isRemote?(job: Job): boolean;
  /** False while it is open whether the job can be begun at all: the answer waits for that. */
  isTakenOn?(job: Job): boolean;
  /** A job was accepted: a hint to whoever carries it out. */
  wake?(type: string): void;
  /** A job that has ended is about to be removed: whatever must still come of it is kept apart. */
  release?(job: Job): Promise<void>;
  /** A job of its own as the standard tells it, with links to `base`. */
  status(job: Job, base: string): StatusInfo;
  /** The results of a successful job of its own; what links in them lead to is below `base`. */
  results(caller: ProcessCaller, job: Job, base: string): Promise<ProcessResults>;
  /**
   * One output of a successful job by itself, where the results are not `outputs` that the server
   * shapes; null: there is none of that id.
   */
  output?(caller: ProcessCaller, job: Job, id: string): Promise<OutputValue | AnsweredBody | null>;
}
