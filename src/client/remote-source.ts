import { PawlError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import type { Policy } from '../core/policy.ts';
import type { Claim, ClaimOptions } from '../engine/claim.ts';
import type { Beat, BeatResult, Ownership } from '../engine/owner.ts';
import type { Ending, Settlement } from '../engine/settle.ts';
import type { JobJson } from '../http/schema/job.ts';
import type { ClaimJson, HeartbeatJson } from '../http/schema/worker.ts';
import type { Connection } from './connection.ts';

type Outcome =
  | { readonly kind: 'moved' | 'unchanged' }
  | { readonly kind: 'refused'; readonly error: PawlError };

export interface RemoteSourceOptions {
  readonly connection: Connection;
  /** The tenant that handlers are told of; the server goes by the credential alone. */
  readonly tenant?: string;
  /** How long an empty claim waits at the server for work. */
  readonly waitMs?: number;
}

/** Answers that are final: everything else may be asked again. */
const REFUSALS: ReadonlySet<string> = new Set(['LEASE_LOST', 'ILLEGAL_TRANSITION', 'NOT_FOUND']);

/**
 * An engine behind HTTP, as a worker's loop sees it: the same four functions, with the same
 * answers. What could not be reached is thrown, and the loop asks again.
 */
export class RemoteSource {
  readonly #connection: Connection;
  readonly #tenant: string;
  readonly #waitMs: number;

  constructor({ connection, tenant = 'default', waitMs = 0 }: RemoteSourceOptions) {
    this.#connection = connection;
    this.#tenant = tenant;
    this.#waitMs = waitMs;
  }

  async claim(options: ClaimOptions): Promise<Claim[]> {
    const { owner: workerId, types, max, queues = null, requestId = null } = options;
    if (types.length === 0) return [];
    const waitMs = this.#waitMs;
    const { body } = await this.#connection.call({
      method: 'POST',
      path: '/v1/claims',
      waitMs,
      body: {
        workerId,
        types,
        max,
        waitMs,
        ...(queues === null ? {} : { queues }),
        ...(requestId === null ? {} : { requestId }),
      },
    });
    return (body as { jobs: ClaimJson[] }).jobs.map((json) => this.#claimOf(json));
  }

  start(holdings: readonly Ownership[]): Promise<Outcome[]> {
    return Promise.all(holdings.map((held) => this.#move(held, 'start', {})));
  }

  renew(beats: readonly Beat[]): Promise<BeatResult[]> {
    return Promise.all(beats.map((beat) => this.#renewOne(beat)));
  }

  settle(settlements: readonly Settlement[]): Promise<Outcome[]> {
    return Promise.all(
      settlements.map((one) => {
        const { verb, body } = endingOf(one.ending);
        return this.#move(one, verb, body);
      }),
    );
  }

  async #move(held: Ownership, verb: string, body: object): Promise<Outcome> {
    const { error } = await this.#ask(held, verb, body);
    return error === null ? { kind: 'moved' } : { kind: 'refused', error };
  }

  async #renewOne(beat: Beat): Promise<BeatResult> {
    const { stageResult, stage, progress, message, checkpoint, notes = [] } = beat;
    if (stageResult !== undefined) {
      const path = `stages/${encodeURIComponent(stageResult.name)}`;
      const { error } = await this.#ask(beat, path, { result: JSON.parse(stageResult.result) });
      if (error !== null) return { kind: 'refused', error };
    }
    const log = notes.flatMap((note) => (note.type === 'job_log' ? [note.message ?? ''] : []));
    const tokens = notes.flatMap((note) =>
      note.type === 'job_tokens' ? [textIn(note.payload)] : [],
    );
    const { body, error } = await this.#ask(beat, 'heartbeat', {
      ...(stage === undefined ? {} : { stage }),
      ...(progress === undefined ? {} : { progress }),
      ...(message === undefined ? {} : { message }),
      ...(checkpoint === undefined ? {} : { checkpoint: JSON.parse(checkpoint) as unknown }),
      ...(log.length === 0 ? {} : { log }),
      ...(tokens.length === 0 ? {} : { tokens: tokens.join('') }),
    });
    if (error !== null) return { kind: 'refused', error };
    const { lease, cancel, progress: reached } = body as HeartbeatJson;
    const leaseExpiry = Date.parse(lease.expiresAt);
    const at = leaseExpiry - lease.expiresInMs;
    return { kind: 'renewed', at, leaseExpiry, progress: reached, cancel };
  }

  async #ask(
    { ref, owner: workerId, epoch }: Ownership,
    verb: string,
    body: object,
  ): Promise<{ body: unknown; error: PawlError | null }> {
    const path = `/v1/jobs/${ref.id}/${verb}`;
    try {
      const call = { method: 'POST', path, body: { workerId, epoch, ...body } } as const;
      const reply = await this.#connection.call(call);
      return { body: reply.body, error: null };
    } catch (error) {
      if (error instanceof PawlError && REFUSALS.has(error.code)) return { body: null, error };
      throw error;
    }
  }

  #claimOf(json: ClaimJson): Claim {
    return {
      job: jobOf(json, this.#tenant),
      policy: policyOf(json),
      stages: Object.entries(json.stages).map(([name, result]) => ({
        name,
        result: JSON.stringify(result),
        at: Date.parse(json.job.updatedAt),
      })),
      leaseMs: json.lease.expiresInMs,
      renewInMs: json.lease.renewInMs,
      idempotencyKey: json.idempotencyKey,
    };
  }
}

function textIn(payload: Readonly<Record<string, unknown>> | null): string {
  const text = payload?.['text'];
  return typeof text === 'string' ? text : '';
}

/** The part of the policy that an attempt goes by; the rest is decided where the job is stored. */
function policyOf({ job, lease, timeoutMs }: ClaimJson): Policy {
  return {
    lifecycle: job.lifecycle,
    lifecycleVersion: 1,
    retry: { maxAttempts: job.maxAttempts, backoff: { kind: 'fixed', baseMs: 0 } },
    retryable: [],
    lease: { ttlMs: lease.expiresInMs, heartbeatMs: lease.heartbeatMs },
    timeoutMs,
    stages: [],
    onExhausted: 'failed',
    dlq: 'never',
  };
}

function instantOf(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}

function errorIn({ error }: JobJson): Job['error'] {
  return error === null ? null : { ...error };
}

function jobOf({ job, input, checkpoint, lease }: ClaimJson, tenant: string): Job {
  const { lease: _lease, links: _links, error: _error, ...rest } = job;
  return {
    ...rest,
    tenant,
    lifecycleVersion: 1,
    policy: 0,
    runAt: Date.parse(job.runAt),
    deadlineAt: instantOf(job.deadlineAt),
    backoffMs: null,
    owner: lease.owner,
    leaseExpiry: Date.parse(lease.expiresAt),
    cancel: null,
    createdAt: Date.parse(job.createdAt),
    updatedAt: Date.parse(job.updatedAt),
    startedAt: instantOf(job.startedAt),
    completedAt: null,
    error: errorIn(job),
    input: JSON.stringify(input),
    result: null,
    checkpoint: checkpoint === null ? null : JSON.stringify(checkpoint),
    metadata: JSON.stringify(job.metadata),
  };
}

function endingOf(ending: Ending): { verb: string; body: object } {
  switch (ending.kind) {
    case 'succeed': {
      const { result } = ending;
      return { verb: 'complete', body: result === undefined ? {} : { result: JSON.parse(result) } };
    }
    case 'fail': {
      const { error, deadLetter = null } = ending;
      return { verb: 'fail', body: { error, ...(deadLetter === null ? {} : { deadLetter }) } };
    }
    case 'snooze':
      return { verb: 'snooze', body: { delayMs: ending.delayMs, ...checkpointOf(ending) } };
    case 'release':
      return { verb: 'release', body: {} };
    case 'cancelled':
      return { verb: 'cancelled', body: checkpointOf(ending) };
    case 'advance':
      throw new PawlError('ILLEGAL_TRANSITION', 'a remote worker cannot advance a process');
  }
}

function checkpointOf({ checkpoint }: { checkpoint?: string }): { checkpoint?: unknown } {
  return checkpoint === undefined ? {} : { checkpoint: JSON.parse(checkpoint) as unknown };
}
