import { invalid, isPawlError, PawlError } from '../core/errors.ts';
import type { JobWish } from '../handle/enqueue-options.ts';
import type { DeadLetters, Failures } from '../handle/failures.ts';
import type { GraphWish } from '../handle/graph.ts';
import type {
  CancelOptions,
  EventOptions,
  LinkDraft,
  MadeJob,
  MessageDraft,
  RerunOptions,
  SentMessage,
} from '../handle/job-access.ts';
import type { NamedQuery } from '../handle/job-query.ts';
import {
  type ArtifactSnapshot,
  type DeadLetterSnapshot,
  type JobEventSnapshot,
  type JobSnapshot,
  type Page,
  type Paging,
  type TreeSnapshot,
  type WhySnapshot,
  treeSnapshotOf,
  whySnapshotOf,
} from '../handle/job-snapshot.ts';
import type { JobPort, MadeOrRefused } from '../handle/job-verbs.ts';
import type { QueueChange, QueueSnapshot } from '../handle/queue-handle.ts';
import type { Schedules, ScheduleSnapshot, WireRule } from '../handle/schedule.ts';
import type { JobJson } from '../contract/job.ts';
import type { ApiClient, BatchItem } from './api-client.ts';
import { artifactSnapshotOf } from './artifact-snapshot.ts';
import { batchesOf, BATCH_MAX } from './batches.ts';
import { type Call, errorOf } from './connection.ts';
import { deadLettersOn, failuresOn } from './http-failures.ts';
import { schedulesOn } from './http-schedules.ts';
import {
  eventSnapshotOf,
  letterSnapshotOf,
  queueSnapshotOf,
  scheduleSnapshotOf,
  snapshotOf,
} from './snapshots.ts';
import { smallInput, wholeJob } from './whole-value.ts';
import { keyedWireJob, wireJob, wireSchedule } from './wire-job.ts';

/** The longest that the server is asked to wait for a job's end. */
const WAIT_MS = 30_000;
/** Between two tries to reach a server that is away. */
const AWAY_MS = 500;
const AWAY: ReadonlySet<string> = new Set([
  'OUTCOME_UNKNOWN',
  'STORE_UNAVAILABLE',
  'STORE_NOT_WRITABLE',
  'SERVER_BUSY',
  'RATE_LIMITED',
  'UPSTREAM_ERROR',
  'REQUEST_TIMEOUT',
]);
/** With payloads a page has so many jobs at most. */
const PAYLOAD_PAGE_MAX = 100;
/** Before the first event of any job. */
const START = '0.0';
const NEVER = new AbortController().signal;

/** A platform behind HTTP, as handles and verbs see it: the tenant is that of the credential. */
export class HttpPort implements JobPort {
  readonly api: ApiClient;
  readonly schedules: Schedules;
  readonly deadLetters: DeadLetters;
  readonly failures: Failures;

  constructor(api: ApiClient) {
    this.api = api;
    this.schedules = schedulesOn(api.schedules);
    this.deadLetters = deadLettersOn(this);
    this.failures = failuresOn(this);
  }

  async enqueue(wish: JobWish): Promise<MadeJob> {
    const { idempotencyKey: key } = wish;
    const small = await this.#small(wish);
    const keyed = key === undefined ? {} : { idempotencyKey: key };
    return madeOf(await this.api.accept(wireJob(small), keyed));
  }

  async enqueueWhole(wishes: readonly JobWish[]): Promise<MadeJob[]> {
    checkWhole(wishes);
    const [batch = []] = batchesOf(await Promise.all(wishes.map((one) => this.#small(one))), true);
    const items = await this.api.enqueueMany(batch, { atomic: true }).catch(byIndex);
    return items.map(({ outcome, job }) => madeOf({ outcome: outcome!, job: job! }));
  }

  async enqueueEach(wishes: readonly JobWish[]): Promise<MadeOrRefused[]> {
    const results: MadeOrRefused[] = [];
    const small = await Promise.all(wishes.map((one) => this.#small(one)));
    for (const batch of batchesOf(small)) {
      results.push(...(await this.api.enqueueMany(batch)).map(triedOf));
    }
    return results;
  }

  async read(id: string): Promise<JobSnapshot> {
    return this.#snapshot(await this.#job(id, {}));
  }

  /** Asks again whenever the server has waited long enough, or was away. */
  async waitForEnd(id: string, signal: AbortSignal): Promise<JobSnapshot> {
    for (;;) {
      try {
        const job = await this.#job(id, { waitMs: WAIT_MS, signal });
        if (job.completedAt !== null || signal.aborted) return await this.#snapshot(job);
      } catch (error) {
        if (signal.aborted || !isAway(error)) throw error;
        await this.api.connection.timers.sleep(AWAY_MS, signal);
      }
    }
  }

  async *events(
    id: string,
    { after = START, signal = NEVER }: EventOptions,
  ): AsyncGenerator<JobEventSnapshot> {
    for await (const item of this.api.events(id, { cursor: after, signal })) {
      if (item.kind === 'reset') {
        const message = `"${after}" is not a cursor of this job's log: leave it out`;
        throw new PawlError('CURSOR_RESET', message);
      }
      if (item.kind === 'event') yield eventSnapshotOf(item.event, item.cursor ?? after);
    }
    signal.throwIfAborted();
  }

  async why(id: string): Promise<WhySnapshot> {
    return whySnapshotOf(await this.api.why(id));
  }

  async cancel(id: string, options: CancelOptions): Promise<JobSnapshot> {
    await this.api.cancel(id, { ...options });
    return this.read(id);
  }

  async submit(id: string): Promise<JobSnapshot> {
    await this.api.submit(id);
    return this.read(id);
  }

  async rerun(id: string, { input, keep, key }: RerunOptions): Promise<MadeJob> {
    const small = await smallInput(this.api.artifacts, input, key);
    const given = small === undefined ? {} : { input: small };
    const kept = keep === undefined ? given : { ...given, keep };
    const keyed = key === undefined ? kept : { ...kept, idempotencyKey: key };
    return madeOf(await this.api.rerun(id, keyed));
  }

  async deadLetterOf(jobId: string): Promise<DeadLetterSnapshot | null> {
    try {
      const { items } = await this.api.deadLetters({ jobId, limit: 1 });
      return items[0] === undefined ? null : letterSnapshotOf(items[0]);
    } catch (error) {
      if (isPawlError(error) && error.code === 'FORBIDDEN') return null;
      throw error;
    }
  }

  async artifactsOf(id: string): Promise<readonly ArtifactSnapshot[]> {
    const found = await this.api.artifacts.allOfJob(id);
    return found.map((artifact) => artifactSnapshotOf(this.api.artifacts, artifact));
  }

  async send(id: string, { name, value, key }: MessageDraft): Promise<SentMessage> {
    const keyed = key === undefined ? {} : { key };
    return this.api.flows.send(id, { name, payload: value ?? null, ...keyed });
  }

  async messageLink(id: string, link: LinkDraft): Promise<string> {
    return (await this.api.flows.messageLink(id, link)).url;
  }

  async tree(id: string): Promise<TreeSnapshot> {
    return treeSnapshotOf(await this.api.flows.tree(id));
  }

  async enqueueGraph(wishes: readonly GraphWish[]): Promise<MadeJob[]> {
    checkWhole(wishes);
    const jobs = await Promise.all(
      wishes.map(async ({ wish, ref, after, onNeedFailed }) => ({
        ...keyedWireJob(await this.#small(wish)),
        ref,
        ...(after.length === 0 ? {} : { after: [...after] }),
        ...(onNeedFailed === undefined ? {} : { onNeedFailed }),
      })),
    );
    const items = await this.api.enqueueMany(jobs, { atomic: true }).catch(byIndex);
    return items.map(({ outcome, job }) => madeOf({ outcome: outcome!, job: job! }));
  }

  list({ createdFrom, createdTo, ...query }: NamedQuery): Promise<Page<JobSnapshot>> {
    return this.page('/v1/jobs', {
      ...query,
      ...(createdFrom === undefined ? {} : { createdFrom: createdFrom.toISOString() }),
      ...(createdTo === undefined ? {} : { createdTo: createdTo.toISOString() }),
    });
  }

  /** Jobs with their payloads; a long page comes in several parts. */
  async page(
    path: string,
    { limit = 50, cursor, ...query }: Paging & NonNullable<Call['query']>,
  ): Promise<Page<JobSnapshot>> {
    const items: JobSnapshot[] = [];
    let from = cursor;
    for (;;) {
      const part = Math.min(PAYLOAD_PAGE_MAX, limit - items.length);
      const { body } = await this.api.connection.call({
        method: 'GET',
        path,
        query: { ...query, payloads: true, limit: part, cursor: from },
      });
      const page = body as Page<JobJson>;
      items.push(...(await Promise.all(page.items.map((job) => this.#snapshot(job)))));
      const { nextCursor } = page;
      const isOver = nextCursor === null || items.length >= limit || page.items.length < part;
      if (isOver) return { items, nextCursor };
      from = nextCursor;
    }
  }

  async putSchedule(name: string, rule: WireRule, wish: JobWish): Promise<ScheduleSnapshot> {
    return scheduleSnapshotOf(await this.api.schedules.put(name, wireSchedule(rule, wish)));
  }

  async readQueue(name: string): Promise<QueueSnapshot> {
    return queueSnapshotOf(await this.api.operations.queue(name));
  }

  async changeQueue(name: string, change: QueueChange): Promise<QueueSnapshot> {
    const { pausedUntil, ...rest } = change;
    const until = pausedUntil === undefined ? {} : { pausedUntil: pausedUntil.toISOString() };
    return queueSnapshotOf(await this.api.operations.changeQueue(name, { ...rest, ...until }));
  }

  async #job(id: string, how: { waitMs?: number; signal?: AbortSignal }): Promise<JobJson> {
    const { waitMs = 0, signal } = how;
    const { body } = await this.api.connection.call({
      method: 'GET',
      path: `/v1/jobs/${encodeURIComponent(id)}`,
      query: { payloads: true, ...(waitMs === 0 ? {} : { waitMs }) },
      waitMs,
      ...(signal === undefined ? {} : { signal }),
    });
    return body as JobJson;
  }

  async #snapshot(job: JobJson): Promise<JobSnapshot> {
    return snapshotOf(await wholeJob(this.api, job));
  }

  async #small(wish: JobWish): Promise<JobWish> {
    const input = await smallInput(this.api.artifacts, wish.input, wish.idempotencyKey);
    return input === wish.input ? wish : { ...wish, input };
  }
}

function checkWhole(wishes: readonly unknown[]): void {
  if (wishes.length <= BATCH_MAX) return;
  const message = `must be at most ${BATCH_MAX} jobs: one request can make no more as a whole`;
  throw invalid([{ pointer: '', message }]);
}

function madeOf({ outcome, job }: { outcome: MadeJob['outcome']; job: JobJson }): MadeJob {
  return { id: job.id, type: job.type, outcome };
}

function triedOf({ status, outcome, job, error }: BatchItem): MadeOrRefused {
  if (job === undefined) return { ok: false, error: errorOf(status, error) };
  return { ok: true, job: madeOf({ outcome: outcome!, job }) };
}

/** The refusal of a batch by an item of it, as the engine of a library would say it. */
function byIndex(error: unknown): never {
  if (!isPawlError(error) || error.faults.length === 0) throw error;
  const faults = error.faults.map(({ pointer, message }) => {
    return { pointer: pointer.replace(/^\/jobs(?=\/)/, ''), message };
  });
  const { code, message, details } = error;
  throw new PawlError(code, message, { faults, details: { ...details }, cause: error });
}

function isAway(error: unknown): boolean {
  return isPawlError(error) && AWAY.has(error.code);
}
