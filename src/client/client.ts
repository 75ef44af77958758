import type { Why } from '../engine/limits/why.ts';
import { type EnqueueArgs, enqueueArgsOf, isJobType, type JobType } from '../handler/job-type.ts';
import { checkInput } from '../handler/schema.ts';
import type { EnqueueJson } from '../http/schema/enqueue.ts';
import type { DeadLetterJson } from '../http/schema/dead-letter.ts';
import type { JobJson } from '../http/schema/job.ts';
import type { Problem } from '../http/schema/problem.ts';
import type { TypeBodyJson, TypeJson } from '../http/schema/type.ts';
import type { Outcome } from '../http/schema/unique.ts';
import { ArtifactsClient } from './artifacts-client.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { follow, type FollowOptions, type StreamItem } from './follow.ts';
import { KeysClient } from './keys-client.ts';
import { OperationsClient } from './operations-client.ts';
import type { Page } from './page.ts';
import { repeatable } from './repeatable.ts';
import { SchedulesClient } from './schedules-client.ts';

export type { ArtifactsClient, Upload } from './artifacts-client.ts';
export type { ConnectionOptions } from './connection.ts';
export type { FollowOptions, StreamItem } from './follow.ts';
export type { KeysClient, MadeKeyJson, NewKeyJson } from './keys-client.ts';
export type { ItemResult, ManyResults, OperationsClient } from './operations-client.ts';
export type { Page, Paging } from './page.ts';
export type { SchedulesClient } from './schedules-client.ts';
export { RemoteArtifacts, type RemoteArtifactsOptions } from './remote-artifacts.ts';
export { RemoteSource } from './remote-source.ts';

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

export type EnqueueMore = Omit<EnqueueJson, 'type' | 'input'> & AcceptOptions;

const ENQUEUE_OPTIONS: Readonly<Record<keyof EnqueueMore, true>> = {
  id: true,
  queue: true,
  priority: true,
  runAt: true,
  deadlineAt: true,
  documentId: true,
  correlationId: true,
  metadata: true,
  parentJobId: true,
  submit: true,
  unique: true,
  payloadHash: true,
  idempotencyKey: true,
  traceparent: true,
  signal: true,
};

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

/** The HTTP API, typed by the very schemas that the server validates with. Throws PawlErrors. */
export class PawlClient {
  readonly connection: Connection;
  readonly artifacts: ArtifactsClient;
  readonly keys: KeysClient;
  readonly operations: OperationsClient;
  readonly schedules: SchedulesClient;

  constructor(options: ConnectionOptions) {
    this.connection = new Connection(options);
    this.artifacts = new ArtifactsClient(this.connection);
    this.keys = new KeysClient(this.connection);
    this.operations = new OperationsClient(this.connection);
    this.schedules = new SchedulesClient(this.connection);
  }

  async putType(type: string, definition: TypeBodyJson): Promise<TypeJson> {
    const path = `/v1/types/${encodeURIComponent(type)}`;
    const { body } = await this.connection.call({ method: 'PUT', path, body: definition });
    return body as TypeJson;
  }

  /** Durable when it resolves; sent again with the same key until the server has answered. */
  enqueue(
    job: EnqueueJson & { readonly takesInput?: never },
    options?: AcceptOptions,
  ): Promise<JobJson>;
  /** With a job's definition, its input is held against its types and its schema beforehand. */
  enqueue<Input, Result>(
    job: JobType<Input, Result>,
    ...args: EnqueueArgs<Input, EnqueueMore>
  ): Promise<JobJson>;
  async enqueue(job: EnqueueJson | JobType, ...args: readonly unknown[]): Promise<JobJson> {
    if (!isJobType(job)) return this.#send(job, args[0] as AcceptOptions | undefined);
    const { input, options } = enqueueArgsOf<EnqueueMore>(job, args, ENQUEUE_OPTIONS);
    await checkInput(job, input);
    const { idempotencyKey, traceparent, signal, ...rest } = options;
    return this.#send(
      { ...rest, type: job.type, input },
      {
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        ...(traceparent === undefined ? {} : { traceparent }),
        ...(signal === undefined ? {} : { signal }),
      },
    );
  }

  async #send(job: EnqueueJson, options: AcceptOptions = {}): Promise<JobJson> {
    const { traceparent, idempotencyKey, ...rest } = options;
    const { jobs, ...keyed } = repeatable([job], idempotencyKey);
    const { body } = await this.connection.call({
      method: 'POST',
      path: '/v1/jobs',
      body: jobs[0],
      ...rest,
      ...keyed,
      ...(traceparent === undefined ? {} : { headers: { traceparent } }),
    });
    return body as JobJson;
  }

  async enqueueMany(
    wishes: readonly EnqueueJson[],
    options: Omit<AcceptOptions, 'traceparent'> = {},
  ): Promise<readonly BatchItem[]> {
    const { jobs, ...keyed } = repeatable(wishes, options.idempotencyKey);
    const call = { method: 'POST', path: '/v1/jobs/batch', body: { jobs } } as const;
    const { body } = await this.connection.call({ ...call, ...options, ...keyed });
    return (body as { results: BatchItem[] }).results;
  }

  /** As `enqueue`, and says how the wish was met: by a new job, or by which one that was there. */
  async accept(
    job: EnqueueJson,
    options: Omit<AcceptOptions, 'traceparent'> = {},
  ): Promise<{ outcome: Outcome; job: JobJson }> {
    const { jobs, ...keyed } = repeatable([job], options.idempotencyKey);
    const call = { method: 'POST', path: '/v1/jobs', body: jobs[0], ...options } as const;
    const { headers, body } = await this.connection.call({ ...call, ...keyed });
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

  /** What the job was given; as a reference where it is too large to be kept in the database. */
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
      limit?: number;
      cursor?: string;
    } = {},
  ): Promise<Page<DeadLetterJson>> {
    const call = { method: 'GET', path: '/v1/dlq', query: filter } as const;
    const { body } = await this.connection.call(call);
    return body as Page<DeadLetterJson>;
  }

  async replay(id: string, how: { input?: unknown } = {}): Promise<JobJson> {
    const path = `/v1/dlq/${encodeURIComponent(id)}/replay`;
    const { body } = await this.connection.call({ method: 'POST', path, body: how });
    return body as JobJson;
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
