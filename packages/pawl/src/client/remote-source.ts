import { PawlError } from '../core/errors.ts';
import type { FlowAnswer, FlowCall } from '../core/flow.ts';
import type { Claim, ClaimOptions } from '../engine/claim.ts';
import type { Beat, BeatResult, Ownership } from '../engine/owner.ts';
import type { Settlement } from '../engine/settle.ts';
import type { ClaimJson, HeartbeatJson } from '../contract/worker.ts';
import type { WorkerBodyJson } from '../contract/worker-sign.ts';
import type { WorkerSign } from '../records/workers.ts';
import { type Connection, TIMEOUT_MS } from './connection.ts';
import { flowAnswerOf, flowRequestOf } from './remote-flow.ts';
import { claimOf, endingOf, lineOf, textIn } from './remote-claim.ts';

const BEAT_TIMEOUT_MS = 5_000;

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

/**
 * Answers that are final: everything else may be asked again. What one beat is refused for must not
 * keep the leases of the others from being renewed.
 */
const REFUSALS: ReadonlySet<string> = new Set([
  'LEASE_LOST',
  'ILLEGAL_TRANSITION',
  'NOT_FOUND',
  'VALIDATION_ERROR',
  'PAYLOAD_TOO_LARGE',
]);

/**
 * The source of jobs of a remote worker: the four functions of an engine, over HTTP. It throws if
 * the server cannot be reached, and the worker tries again.
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
    const { owner: workerId, types, max, queues = null, requestId = null, revisions } = options;
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
        ...(revisions === undefined ? {} : { revisions }),
      },
    });
    return (body as { jobs: ClaimJson[] }).jobs.map((json) => claimOf(json, this.#tenant));
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

  async flow(held: Ownership, call: FlowCall): Promise<FlowAnswer> {
    const { path, body } = flowRequestOf(call);
    const { body: answer, error } = await this.#ask(held, path, body);
    if (error !== null) throw error;
    return flowAnswerOf(call, answer);
  }

  /** The server knows whose worker it is by the credential, so the tenant is not sent. */
  async announce(signs: readonly WorkerSign[]): Promise<readonly string[]> {
    const [sign] = signs;
    if (sign === undefined) return [];
    const { id, types, revisions, host, pid, version, slots, state } = sign;
    const body: WorkerBodyJson = {
      types: [...types],
      state,
      ...(revisions === undefined ? {} : { revisions }),
      ...(host === null ? {} : { host }),
      ...(pid === null ? {} : { pid }),
      ...(version === null ? {} : { version }),
      ...(slots === null ? {} : { slots }),
    };
    const answer = await this.#connection.call({
      method: 'PUT',
      path: `/v1/workers/${encodeURIComponent(id)}`,
      body,
    });
    return (answer.body as { isDrainAsked?: boolean } | null)?.isDrainAsked === true ? [id] : [];
  }

  async #move(held: Ownership, verb: string, body: object): Promise<Outcome> {
    const { error } = await this.#ask(held, verb, body);
    return error === null ? { kind: 'moved' } : { kind: 'refused', error };
  }

  async #renewOne(beat: Beat): Promise<BeatResult> {
    const { stageResult, stage, progress, message, checkpoint, notes = [], liveTokens } = beat;
    if (stageResult !== undefined) {
      const path = `stages/${encodeURIComponent(stageResult.name)}`;
      const asked = { result: JSON.parse(stageResult.result) as unknown };
      const { body, error } = await this.#ask(beat, path, asked);
      if (error !== null) return { kind: 'refused', error };
      const hasMore = (stage ?? progress ?? message ?? checkpoint ?? liveTokens) !== undefined;
      // To keep a stage is a heartbeat too; a server of the release before does not say so.
      if (!hasMore && notes.length === 0 && 'lease' in (body as object)) {
        return renewedOf(body as HeartbeatJson);
      }
    }
    const log = notes.flatMap((note) => (note.type === 'job_log' ? [lineOf(note)] : []));
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
      ...(liveTokens === undefined ? {} : { liveTokens }),
    });
    return error === null ? renewedOf(body as HeartbeatJson) : { kind: 'refused', error };
  }

  async #ask(
    { ref, owner: workerId, epoch, token }: Ownership,
    verb: string,
    body: object,
  ): Promise<{ body: unknown; error: PawlError | null }> {
    const path = `/v1/jobs/${ref.id}/${verb}`;
    const asked = { workerId, epoch, token, ...body };
    const timeoutMs = verb === 'heartbeat' ? beatTimeoutMs(asked) : TIMEOUT_MS;
    try {
      const call = { method: 'POST', path, body: asked, timeoutMs } as const;
      const reply = await this.#connection.call(call);
      return { body: reply.body, error: null };
    } catch (error) {
      if (error instanceof PawlError && REFUSALS.has(error.code)) return { body: null, error };
      throw error;
    }
  }
}

/**
 * The other leases of this worker are renewed after the answer, and all may end in 20 s: a request
 * that is never answered must be given up in time to be sent again. Ten bytes take a millisecond.
 */
function beatTimeoutMs(body: object): number {
  return BEAT_TIMEOUT_MS + Math.round(JSON.stringify(body).length / 10);
}

function renewedOf({ lease, cancel, progress }: HeartbeatJson): BeatResult {
  const leaseExpiry = Date.parse(lease.expiresAt);
  const at = leaseExpiry - lease.expiresInMs;
  return { kind: 'renewed', at, leaseExpiry, progress, cancel };
}
