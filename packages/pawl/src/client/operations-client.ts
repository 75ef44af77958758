import type { Static } from 'typebox';
import type { Page, Paging } from '../handle/job-snapshot.ts';
import type { JobJson } from '../contract/job.ts';
import type { Problem } from '../contract/problem.ts';
import type { QueueBody, QueueJson } from '../contract/queue.ts';
import type { WorkerJson } from '../contract/worker-sign.ts';
import type { Connection } from './connection.ts';

/** The outcome of one item of a request for many. */
export interface ItemResult {
  readonly id: string;
  readonly status: number;
  readonly job?: JobJson;
  readonly error?: Problem;
}

/** The answer to a request for many items: a result for each. */
export interface ItemResults {
  readonly results: readonly ItemResult[];
  /** The filter finds more: send the request again. */
  readonly hasMore: boolean;
}

/** Routes for operators: queues, workers, operations on many jobs. */
export class OperationsClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Takes away what a job that has ended was given, said and made; its history stays. */
  async erase(jobId: string): Promise<JobJson> {
    const path = `/v1/jobs/${encodeURIComponent(jobId)}/erase`;
    return (await this.#connection.call({ method: 'POST', path })).body as JobJson;
  }

  async cancelMany(
    asked: ({ ids: readonly string[] } | { filter: Readonly<Record<string, string>> }) & {
      mode?: 'soft' | 'hard';
      reason?: string;
    },
  ): Promise<ItemResults> {
    const call = { method: 'POST', path: '/v1/jobs/cancel', body: asked } as const;
    return (await this.#connection.call(call)).body as ItemResults;
  }

  async replayMany(
    asked: ({ ids: readonly string[] } | { filter: Readonly<Record<string, string>> }) & {
      perSecond?: number;
    },
  ): Promise<ItemResults> {
    const call = { method: 'POST', path: '/v1/dlq/replay', body: asked } as const;
    return (await this.#connection.call(call)).body as ItemResults;
  }

  /** By ids, or those that a filter finds and that were not run again yet. */
  async rerunMany(
    asked: ({ ids: readonly string[] } | { filter: Readonly<Record<string, string>> }) &
      Paging & { readonly keep?: boolean },
  ): Promise<ItemResults & { readonly nextCursor: string | null }> {
    const call = { method: 'POST', path: '/v1/jobs/rerun', body: asked } as const;
    const { body } = await this.#connection.call(call);
    return body as ItemResults & { readonly nextCursor: string | null };
  }

  async queue(name: string): Promise<QueueJson> {
    const path = `/v1/queues/${encodeURIComponent(name)}`;
    return (await this.#connection.call({ method: 'GET', path })).body as QueueJson;
  }

  /** By name. */
  async queues(paging: Paging = {}): Promise<Page<QueueJson>> {
    const call = { method: 'GET', path: '/v1/queues', query: { ...paging } } as const;
    return (await this.#connection.call(call)).body as Page<QueueJson>;
  }

  /** Pauses, resumes or bounds a queue. */
  async changeQueue(name: string, settings: Static<typeof QueueBody>): Promise<QueueJson> {
    const path = `/v1/queues/${encodeURIComponent(name)}`;
    const call = { method: 'PATCH', path, body: settings } as const;
    return (await this.#connection.call(call)).body as QueueJson;
  }

  /** The workers that take the caller's jobs, and which they own. */
  async workers(paging: Paging = {}): Promise<Page<WorkerJson>> {
    const call = { method: 'GET', path: '/v1/workers', query: { ...paging } } as const;
    return (await this.#connection.call(call)).body as Page<WorkerJson>;
  }
}
