import type { Why } from '../engine/limits/why.ts';
import type { Page, Paging } from '../handle/job-snapshot.ts';
import type { BatchJobJson, EnqueueJson } from '../contract/enqueue.ts';
import type { DeadLetterJson } from '../contract/dead-letter.ts';
import type { FailureCauseJson, FailureDetailJson } from '../contract/failure.ts';
import type { JobJson } from '../contract/job.ts';
import type { Problem } from '../contract/problem.ts';
import type { TypeBodyJson, TypeJson } from '../contract/type.ts';
import type { Outcome } from '../contract/unique.ts';
import { allPages } from './all-pages.ts';
import { ArtifactsClient } from './artifacts-client.ts';
import { type Call, Connection, type ConnectionOptions } from './connection.ts';
import { follow, type FollowOptions, type StreamItem } from './follow.ts';
import { FlowsClient } from './flows-client.ts';
import { KeysClient } from './keys-client.ts';
import { OperationsClient } from './operations-client.ts';
import { SchedulesClient } from './schedules-client.ts';

/** Filters of a list of jobs or of a bulk request. */
export interface JobFilter {
  readonly type?: string;
  readonly state?: string;
  readonly phase?: string;
  readonly queue?: string;
  readonly documentId?: string;
  readonly correlationId?: string;
  readonly parentJobId?: string;
  /** Created then or later; a time as the API writes it. */
  readonly createdFrom?: string;
  /** Created before then. */
  readonly createdTo?: string;
  /** A part of what the job says of itself; inputs and results are not looked at. */
  readonly text?: string;
  /** The code or class of its error, or a part of its message. */
  readonly error?: string;
  /** That of its dead letter. */
  readonly fingerprint?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** Filters of failed and dead jobs, with times as in the API. */
export interface FailureFilterJson {
  readonly type?: string;
  readonly queue?: string;
  readonly fingerprint?: string;
  readonly createdFrom?: string;
  readonly createdTo?: string;
}

/** One job in the body of `POST /v1/jobs/batch`. */
export interface BatchItem {
  readonly status: number;
  /** Whether the job is new, or which rule found the one that was there. */
  readonly outcome?: Outcome;
  readonly job?: JobJson;
  readonly error?: Problem;
}

export interface AcceptOptions {
  /** Makes the request repeatable beyond this call; without one, a new one is made up. */
  readonly idempotencyKey?: string;
  readonly traceparent?: string;
  readonly signal?: AbortSignal;
}

/** Why a job is where it is, with its times as the API writes them. */
export type WhyJson = Omit<Why, 'since' | 'until'> & {
  readonly since: string;
  readonly until: string | null;
};

const WAIT_MS = 30_000;

function jobPath(id: string, verb?: string): string {
  const path = `/v1/jobs/${encodeURIComponent(id)}`;
  return verb === undefined ? path : `${path}/${verb}`;
}

/**
 * One method for each route of the HTTP API, typed by the schemas of the server. Throws PawlError.
 */
export class ApiClient {
  readonly connection: Connection;
  readonly artifacts: ArtifactsClient;
  readonly flows: FlowsClient;
  readonly keys: KeysClient;
  readonly operations: OperationsClient;
  readonly schedules: SchedulesClient;

  constructor(options: ConnectionOptions) {
    this.connection = new Connection(options);
    this.artifacts = new ArtifactsClient(this.connection);
    this.flows = new FlowsClient(this.connection);
    this.keys = new KeysClient(this.connection);
    this.operations = new OperationsClient(this.connection);
    this.schedules = new SchedulesClient(this.connection);
  }

  /** Every item of a list such as `/v1/types`, page by page. */
  all<Item>(path: string, query: NonNullable<Call['query']> = {}): Promise<Item[]> {
    return allPages<Item>(this.connection, path, query);
  }

  async putType(type: string, definition: TypeBodyJson): Promise<TypeJson> {
    const path = `/v1/types/${encodeURIComponent(type)}`;
    const { body } = await this.connection.call({ method: 'PUT', path, body: definition });
    return body as TypeJson;
  }

  /** Durable when it resolves; sent again with the same key until the server has answered. */
  async enqueue(
    // A definition is for PawlClient: its members of these names are something else.
    job: EnqueueJson & { readonly takesInput?: never },
    options: AcceptOptions = {},
  ): Promise<JobJson> {
    return (await this.accept(job, options)).job;
  }

  /** One answer an item; with `atomic` there is a job for each, or what refuses one is thrown. */
  async enqueueMany(
    jobs: readonly BatchJobJson[],
    options: Omit<AcceptOptions, 'traceparent'> & { readonly atomic?: boolean } = {},
  ): Promise<readonly BatchItem[]> {
    const { atomic = false, ...rest } = options;
    const asked = atomic ? { jobs, atomic } : { jobs };
    const call = { method: 'POST', path: '/v1/jobs/batch', body: asked } as const;
    const { body } = await this.connection.call({ ...call, ...rest });
    return (body as { results: BatchItem[] }).results;
  }

  /** As `enqueue`, and says how the wish was met: by a new job, or by which one that was there. */
  async accept(
    job: EnqueueJson,
    options: AcceptOptions = {},
  ): Promise<{ outcome: Outcome; job: JobJson }> {
    const { traceparent, ...rest } = options;
    const { headers, body } = await this.connection.call({
      method: 'POST',
      path: '/v1/jobs',
      body: job,
      ...rest,
      ...(traceparent === undefined ? {} : { headers: { traceparent } }),
    });
    return { outcome: headers.get('pawl-outcome') as Outcome, job: body as JobJson };
  }

  async job(id: string): Promise<JobJson> {
    const { body } = await this.connection.call({ method: 'GET', path: jobPath(id) });
    return body as JobJson;
  }

  async jobs(filter: JobFilter = {}): Promise<Page<JobJson>> {
    const { body } = await this.connection.call({
      method: 'GET',
      path: '/v1/jobs',
      query: { ...filter },
    });
    return body as Page<JobJson>;
  }

  /** The job at its end, however long that takes; or as it stands when the signal comes. */
  async waitForEnd(id: string, options: { signal?: AbortSignal } = {}): Promise<JobJson> {
    for (;;) {
      const { body } = await this.connection.call({
        method: 'GET',
        path: jobPath(id),
        query: { waitMs: WAIT_MS },
        waitMs: WAIT_MS,
        ...options,
      });
      const job = body as JobJson;
      if (job.completedAt !== null || options.signal?.aborted === true) return job;
    }
  }

  /** What the job was given, whatever its size; one that names an uploaded artifact as it is. */
  async input(id: string): Promise<unknown> {
    const { body } = await this.connection.call({ method: 'GET', path: jobPath(id, 'input') });
    return body;
  }

  async result(id: string): Promise<unknown> {
    const { body } = await this.connection.call({ method: 'GET', path: jobPath(id, 'result') });
    return body;
  }

  /** Why a job is where it is: the reason in a word, a sentence and facts. */
  async why(id: string): Promise<WhyJson> {
    const { body } = await this.connection.call({ method: 'GET', path: jobPath(id, 'why') });
    return body as WhyJson;
  }

  async submit(id: string): Promise<JobJson> {
    const { body } = await this.connection.call({ method: 'POST', path: jobPath(id, 'submit') });
    return body as JobJson;
  }

  async cancel(
    id: string,
    how: { mode?: 'soft' | 'hard'; reason?: string } = {},
  ): Promise<JobJson> {
    const path = jobPath(id, 'cancel');
    const { body } = await this.connection.call({ method: 'POST', path, body: how });
    return body as JobJson;
  }

  async deadLetters(
    filter: {
      jobId?: string;
      type?: string;
      reasonCode?: string;
      fingerprint?: string;
      isReplayed?: boolean;
      limit?: number;
      cursor?: string;
    } = {},
  ): Promise<Page<DeadLetterJson>> {
    const call = { method: 'GET', path: '/v1/dlq', query: filter } as const;
    const { body } = await this.connection.call(call);
    return body as Page<DeadLetterJson>;
  }

  async deadLetter(id: string): Promise<DeadLetterJson> {
    const path = `/v1/dlq/${encodeURIComponent(id)}`;
    return (await this.connection.call({ method: 'GET', path })).body as DeadLetterJson;
  }

  async replay(id: string, how: { input?: unknown } = {}): Promise<JobJson> {
    const path = `/v1/dlq/${encodeURIComponent(id)}/replay`;
    const { body } = await this.connection.call({ method: 'POST', path, body: how });
    return body as JobJson;
  }

  /** Runs a job that has ended again, as a new job. */
  async rerun(
    id: string,
    how: {
      readonly input?: unknown;
      readonly keep?: boolean;
      readonly idempotencyKey?: string;
    } = {},
  ): Promise<{ outcome: 'created' | 'replayed'; job: JobJson }> {
    const { idempotencyKey, ...asked } = how;
    const keyed = idempotencyKey === undefined ? {} : { idempotencyKey };
    const call = { method: 'POST', path: jobPath(id, 'rerun'), body: asked, ...keyed } as const;
    const { status, body } = await this.connection.call(call);
    return { outcome: status === 202 ? 'created' : 'replayed', job: body as JobJson };
  }

  /** Jobs that ended badly, grouped by cause. */
  /** One cause: where, when and why. */
  async failure(fingerprint: string): Promise<FailureDetailJson> {
    const path = `/v1/failures/${encodeURIComponent(fingerprint)}`;
    const { body } = await this.connection.call({ method: 'GET', path });
    return body as FailureDetailJson;
  }

  async failures(filter: FailureFilterJson & Paging = {}): Promise<Page<FailureCauseJson>> {
    const call = { method: 'GET', path: '/v1/failures', query: { ...filter } } as const;
    return (await this.connection.call(call)).body as Page<FailureCauseJson>;
  }

  /** A job's life from now (or from a cursor) to its end, over any number of connections. */
  events(id: string, options: FollowOptions = {}): AsyncGenerator<StreamItem> {
    return follow(this.connection, jobPath(id, 'events'), options);
  }

  /** Everything that happens, until the signal. */
  everything(
    filter: { type?: string; jobType?: string; correlationId?: string; from?: 'start' } = {},
    options: FollowOptions = {},
  ): AsyncGenerator<StreamItem> {
    const query = new URLSearchParams(filter);
    return follow(this.connection, `/v1/events?${query.toString()}`, options);
  }
}
