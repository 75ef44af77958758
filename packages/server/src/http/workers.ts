import { type Static, Type } from 'typebox';
import type { FastifyRequest } from 'fastify';
import { workerIn } from 'pawl/internal/core/actor';
import { BOUNDS } from 'pawl/internal/core/bounds';
import { PawlError } from 'pawl/internal/core/errors';
import type { Claim, ClaimOptions } from 'pawl/internal/engine/claim';
import { workTopic } from 'pawl/internal/engine/live/live-hub';
import type { BeatResult, Ownership } from 'pawl/internal/engine/owner';
import { levelPayload } from 'pawl/internal/handler/log';
import type { NoteDraft } from 'pawl/internal/store/renew';
import { claimJson } from './claim-view.ts';
import { offeredOf } from './remote-workers.ts';
import {
  type App,
  credentialOf,
  ownerOf,
  refOf,
  type Resource,
  routes,
  type Services,
} from './services.ts';
import { IDEMPOTENT_BY_STATE } from 'pawl/internal/contract/headers';
import { JobParams, JobSchema } from 'pawl/internal/contract/job';
import { closed } from 'pawl/internal/contract/values';
import {
  ClaimBody,
  ClaimSchema,
  HeartbeatBody,
  type HeartbeatRequest,
  type HeartbeatJson,
  HeartbeatSchema,
  OwnerBody,
  StageBody,
  StageKeptSchema,
  StageName,
} from 'pawl/internal/contract/worker';
import { jobJson } from './view.ts';
import { timeText } from 'pawl/internal/contract/event-view';

/** A claim that waits looks by itself this often: delayed jobs become due without a wake. */
const CLAIM_LOOK_MS = 250;

/** A checkpoint or a stage's result as large as it may be, encoded, with all that goes with it. */
const REPORT_BYTES_MAX = 2 * BOUNDS.checkpoint;
export const REPORT_LIMITS = {
  bodyLimit: REPORT_BYTES_MAX,
  config: { stringMax: REPORT_BYTES_MAX },
} as const;

export function heldBy(
  request: FastifyRequest,
  id: string,
  body: Static<typeof OwnerBody>,
): Ownership {
  const { workerId, epoch, token } = body;
  return { ref: refOf(request, id), owner: ownerOf(request, workerId), epoch, token };
}

export function checkpointOf(body: { checkpoint?: unknown }): { checkpoint?: string } {
  return body.checkpoint === undefined ? {} : { checkpoint: JSON.stringify(body.checkpoint) };
}

/** The queues asked for, as far as the credential may claim from them. */
function queuesOf(request: FastifyRequest, asked: readonly string[] | null): string[] | null {
  const { queues: own } = credentialOf(request);
  if (own === null) return asked === null ? null : [...asked];
  const foreign = (asked ?? []).filter((queue) => !own.includes(queue));
  if (foreign.length > 0) {
    throw new PawlError('FORBIDDEN', `this credential may not claim from ${foreign.join(', ')}`);
  }
  return [...(asked ?? own)];
}

async function claimOrWait(
  { engine, live }: Services,
  options: ClaimOptions & { readonly tenants: readonly string[] },
  wait: { ms: number; signal: AbortSignal },
): Promise<Claim[]> {
  const first = await engine.claim(options);
  if (first.length > 0 || wait.ms <= 0) return first;
  const until = performance.now() + wait.ms;
  const [tenant] = options.tenants;
  const watch = await live.watch(...options.types.map((type) => workTopic(tenant!, type)));
  try {
    for (;;) {
      // Nobody is there any more to work on what would be won.
      if (wait.signal.aborted) return [];
      watch.reset();
      const claims = await engine.claim(options);
      const leftMs = until - performance.now();
      if (claims.length > 0 || leftMs <= 0) return claims;
      await watch.wait(Math.min(leftMs, CLAIM_LOOK_MS), wait.signal);
    }
  } finally {
    watch.close();
  }
}

/**
 * The client has gone before it could be answered. One that asked under a name comes back for what
 * it won; of any other nobody ever hears of these jobs, and each would count as lost.
 */
async function giveBack({ engine }: Services, claims: readonly Claim[]): Promise<void> {
  const release = { kind: 'release' } as const;
  await engine.settle(
    claims.map(({ job, token }) => ({
      ref: job,
      owner: job.owner!,
      epoch: job.epoch,
      token,
      ending: release,
    })),
  );
}

const CLAIM_TEXT =
  'A claim leases up to `max` due jobs to `workerId` and answers with all that an attempt needs; ' +
  'each is then kept by heartbeats and settled by exactly one of complete, fail, snooze, release ' +
  'or cancelled, always with the `epoch` and `token` of the claim. All durations are by server ' +
  "time, so a worker's own clock does not matter. A claim repeated with the same `requestId` (or " +
  '`Idempotency-Key`) answers with the jobs that the first one won and that are still its own. ' +
  'With `waitMs` it waits for work.';

function claimJobs(app: App, services: Services): void {
  app.post(
    '/v1/claims',
    {
      config: { isLong: true },
      schema: {
        tags: ['Worker protocol'],
        operationId: 'claimJobs',
        summary: 'Take due jobs',
        description: CLAIM_TEXT,
        headers: IDEMPOTENT_BY_STATE,
        body: ClaimBody,
        response: { 200: closed({ jobs: Type.Array(ClaimSchema) }) },
      },
    },
    async (request, reply) => {
      const { workerId, types, max, waitMs = 0, requestId } = request.body;
      const owner = ownerOf(request, workerId);
      const offered = offeredOf(request.body.revisions);
      const { tenant } = credentialOf(request);
      const gone = new AbortController();
      // Of the answer, not of the socket: that one serves many requests and would gather listeners.
      reply.raw.once('close', () => gone.abort());
      const options = {
        owner,
        types,
        max,
        ...offered,
        tenants: [tenant],
        queues: queuesOf(request, request.body.queues ?? null),
        requestId: requestId ?? request.headers['idempotency-key']?.slice(0, 128) ?? null,
      };
      const signal = AbortSignal.any([gone.signal, services.live.stopping]);
      const claims = await claimOrWait(services, options, { ms: waitMs, signal });
      if (gone.signal.aborted && options.requestId === null) {
        await giveBack(services, claims);
        return { jobs: [] };
      }
      services.remoteWorkers.note(request, owner, { types, ...offered });
      return { jobs: await Promise.all(claims.map((claim) => claimJson(services, claim))) };
    },
  );
}

function startJob(app: App, { engine }: Services): void {
  app.post(
    '/v1/jobs/:id/start',
    {
      schema: {
        tags: ['Worker protocol'],
        operationId: 'startJob',
        summary: 'Begin a leased job',
        description:
          'Leased becomes executing, for lifecycles that tell the two apart; a job that is ' +
          'executing already is left as it is, so a repeat changes nothing.',
        params: JobParams,
        headers: IDEMPOTENT_BY_STATE,
        body: OwnerBody,
        response: { 200: JobSchema },
        errors: ['NOT_FOUND', 'LEASE_LOST', 'ILLEGAL_TRANSITION'],
      },
    },
    async (request) => {
      const held = heldBy(request, request.params.id, request.body);
      const [outcome] = await engine.start([held]);
      if (outcome!.kind === 'refused') throw outcome!.error;
      return jobJson(await engine.job(held.ref));
    },
  );
}

function notesOf(body: HeartbeatRequest): NoteDraft[] {
  const lines = [body.log ?? []].flat().map((line) => {
    const { line: message, level } = typeof line === 'string' ? { line, level: undefined } : line;
    return { type: 'job_log' as const, message, payload: levelPayload(level ?? 'info') };
  });
  if (body.tokens === undefined) return lines;
  const text = [body.tokens].flat().join('');
  return [...lines, { type: 'job_tokens', message: null, payload: { text } }];
}

function beat(app: App, { engine, remoteWorkers }: Services): void {
  app.post(
    '/v1/jobs/:id/heartbeat',
    {
      ...REPORT_LIMITS,
      schema: {
        tags: ['Worker protocol'],
        operationId: 'beat',
        summary: 'Renew the lease and report',
        description:
          'To be sent every `heartbeatMs`; two missed in a row lose the job. Carries stage, ' +
          'progress, message, checkpoint, log lines and AI tokens up, and a cancel request down. ' +
          'Progress never falls, and stays in the range of the stage that the job is in; a stage ' +
          'that the type does not declare, although it declares some, is refused (400). ' +
          ' A repeat renews once more and sets the same values; only log lines ' +
          'and tokens are then there twice, so send those with a heartbeat of their own.',
        params: JobParams,
        headers: IDEMPOTENT_BY_STATE,
        body: HeartbeatBody,
        response: { 200: HeartbeatSchema },
        errors: ['NOT_FOUND', 'LEASE_LOST'],
      },
    },
    async (request) => {
      const { stage, progress, message, liveTokens } = request.body;
      const held = heldBy(request, request.params.id, request.body);
      const [result] = await engine.renew([
        {
          ...held,
          ...(stage === undefined ? {} : { stage }),
          ...(progress === undefined ? {} : { progress }),
          ...(message === undefined ? {} : { message }),
          ...(liveTokens === undefined ? {} : { liveTokens }),
          ...checkpointOf(request.body),
          notes: notesOf(request.body),
        },
      ]);
      if (result!.kind === 'refused') throw result!.error;
      remoteWorkers.note(request, held.owner);
      return renewedJson(held, result!);
    },
  );
}

type Renewed = Extract<BeatResult, { kind: 'renewed' }>;

function renewedJson({ owner }: Ownership, renewed: Renewed): HeartbeatJson {
  const { at, leaseExpiry, progress, cancel } = renewed;
  const expiresInMs = leaseExpiry - at;
  const renewInMs = Math.floor(expiresInMs / 2);
  const expiresAt = timeText(leaseExpiry);
  const lease = { owner: workerIn(owner), expiresAt, expiresInMs, renewInMs };
  return { lease, progress, cancel };
}

function keepStage(app: App, { engine, remoteWorkers }: Services): void {
  app.post(
    '/v1/jobs/:id/stages/:name',
    {
      ...REPORT_LIMITS,
      schema: {
        tags: ['Worker protocol'],
        operationId: 'keepStage',
        summary: "Keep a stage's result",
        description:
          'Later attempts find it in their claim and skip the stage. A repeat replaces it. It is ' +
          'a heartbeat as well: the lease is renewed, and the answer says so. A stage that the ' +
          'type does not declare, although it declares some, is refused (400).',
        params: Type.Object({ ...JobParams.properties, name: StageName }),
        headers: IDEMPOTENT_BY_STATE,
        body: StageBody,
        response: { 200: StageKeptSchema },
        errors: ['NOT_FOUND', 'LEASE_LOST'],
      },
    },
    async (request) => {
      const { id, name } = request.params;
      const held = heldBy(request, id, request.body);
      const stageResult = { name, result: JSON.stringify(request.body.result ?? null) };
      const [result] = await engine.renew([{ ...held, stageResult }]);
      if (result!.kind === 'refused') throw result!.error;
      remoteWorkers.note(request, held.owner);
      return { name, ...renewedJson(held, result!) };
    },
  );
}

/** The worker protocol: claim, begin and keep, in any language. */
export const workers: Resource = routes(claimJobs, startJob, beat, keepStage);
