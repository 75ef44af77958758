import type { FlowAnswer, FlowCall } from '../core/flow.ts';
import type { JsonText } from '../core/job.ts';
import type { ArtifactDraft, KeptArtifact, OpenedArtifact } from './artifact.ts';
import type { BatchPlan } from './batch.ts';
import type { JobFacts, RunContext, Trace } from './context.ts';
import type { LogLevel } from './log.ts';

/** What an attempt starts from, as plain data: it also crosses into threads and processes. */
export interface AttemptFacts {
  readonly job: JobFacts;
  readonly input: JsonText;
  readonly attempt: number;
  readonly fencingToken: number;
  readonly idempotencyKey: string;
  readonly trace: Trace;
  readonly checkpoint: JsonText | null;
  readonly kept: readonly { readonly name: string; readonly result: JsonText }[];
}

/** Said in passing, sent with the next renewal. */
export interface Report {
  readonly stage?: string;
  readonly progress?: number;
  readonly message?: string;
  readonly log?: string;
  /** Of the line; default: info. */
  readonly level?: LogLevel;
  readonly tokens?: string;
  /** The same where it is not to be kept. */
  readonly liveTokens?: string;
}

/** Written at once. */
export type Keep =
  | { readonly checkpoint: JsonText }
  | { readonly stageResult: { readonly name: string; readonly result: JsonText } };

/** How a running handler reaches its worker, in whatever thread or process it runs. */
export interface AttemptPort {
  tell(report: Report): void;
  /** Resolves when it is durable; rejects with a JobStop once the job is not this worker's. */
  keep(write: Keep): Promise<void>;
  /** Streams; durable once it resolves. Rejects with a JobStop or a JobFailure. */
  putArtifact(artifact: ArtifactDraft): Promise<KeptArtifact>;
  openArtifact(id: string): Promise<OpenedArtifact>;
  /** Waits for jobs, messages and time. Rejects with a JobStop or a JobFailure. */
  flow(call: FlowCall): Promise<FlowAnswer>;
  /** Joins the handler of many jobs: in the same thread only. */
  join?(plan: BatchPlan, context: RunContext<unknown>): Promise<unknown>;
  /** Runs a stage's work where its worker can see it: in the same thread only. */
  within?<Answer>(stage: string, work: () => Answer): Answer;
}
