import { type Static, Type } from 'typebox';
import type { FastifyRequest } from 'fastify';
import type { Claim } from '../engine/claim.ts';
import type { Ownership } from '../engine/owner.ts';
import type { Ending } from '../engine/settle.ts';
import type { NoteDraft } from '../store/renew.ts';
import type { Engine } from '../engine/engine.ts';
import { type App, callerOf, type Face, refOf, type Resource, routes } from './face.ts';
import { JobParams } from './jobs.ts';
import {
  CancelledBody,
  ClaimBody,
  CompleteBody,
  FailBody,
  HeartbeatBody,
  OwnerBody,
  SnoozeBody,
  StageBody,
} from './schema/worker.ts';
import type { JobJson } from './schema/job.ts';
import { jobJson, timeText } from './view.ts';

/** How often a claim that waits looks again; a wake shortens it. */
const CLAIM_POLL_MS = 100;

function heldBy(request: FastifyRequest, id: string, body: Static<typeof OwnerBody>): Ownership {
  return { ref: refOf(request, id), owner: body.workerId, epoch: body.epoch };
}

function claimJson(claim: Claim): Record<string, unknown> {
  const { job } = claim;
  return {
    job: jobJson(job),
    input: JSON.parse(job.input) as unknown,
    epoch: job.epoch,
    lease: {
      owner: job.owner,
      expiresAt: timeText(job.leaseExpiry!),
      renewInMs: claim.renewInMs,
      heartbeatMs: claim.policy.lease.heartbeatMs,
    },
    checkpoint: job.checkpoint === null ? null : (JSON.parse(job.checkpoint) as unknown),
    stages: Object.fromEntries(
      claim.stages.map(({ name, result }) => [name, JSON.parse(result) as unknown]),
    ),
    attempt: job.attempts,
    idempotencyKey: claim.idempotencyKey,
  };
}

function notesOf(body: Static<typeof HeartbeatBody>): NoteDraft[] {
  const lines = (body.log ?? []).map((line) => ({
    type: 'job_log' as const,
    message: line,
    payload: null,
  }));
  if (body.tokens === undefined) return lines;
  return [...lines, { type: 'job_tokens', message: null, payload: { text: body.tokens } }];
}

function checkpointOf(body: { checkpoint?: unknown }): { checkpoint?: string } {
  return body.checkpoint === undefined ? {} : { checkpoint: JSON.stringify(body.checkpoint) };
}

async function settle(engine: Engine, held: Ownership, ending: Ending): Promise<JobJson> {
  const [outcome] = await engine.settle([{ ...held, ending }]);
  if (outcome!.kind === 'refused') throw outcome!.error;
  return jobJson(await engine.job(held.ref));
}

function claimJobs(app: App, { engine, live }: Face): void {
  app.post(
    '/v1/claims',
    { schema: { summary: 'Take due jobs', body: ClaimBody } },
    async (request) => {
      const { workerId, types, max, waitMs = 0, requestId = null, queues = null } = request.body;
      const { tenant } = callerOf(request);
      const until = performance.now() + waitMs;
      const never = new AbortController().signal;
      for (;;) {
        const options = { owner: workerId, types, max, tenants: [tenant], queues, requestId };
        const claims = await engine.claim(options);
        const leftMs = until - performance.now();
        if (claims.length > 0 || leftMs <= 0) return { jobs: claims.map(claimJson) };
        await live.news('', Math.min(leftMs, CLAIM_POLL_MS), never);
      }
    },
  );
}

function startJob(app: App, { engine }: Face): void {
  app.post(
    '/v1/jobs/:id/start',
    { schema: { summary: 'Begin a leased job', params: JobParams, body: OwnerBody } },
    async (request) => {
      const held = heldBy(request, request.params.id, request.body);
      const [outcome] = await engine.start([held]);
      if (outcome!.kind === 'refused') throw outcome!.error;
      return jobJson(await engine.job(held.ref));
    },
  );
}

function beat(app: App, { engine }: Face): void {
  app.post(
    '/v1/jobs/:id/heartbeat',
    { schema: { summary: 'Renew the lease, report', params: JobParams, body: HeartbeatBody } },
    async (request) => {
      const { stage, progress, message } = request.body;
      const held = heldBy(request, request.params.id, request.body);
      const [result] = await engine.renew([
        {
          ...held,
          ...(stage === undefined ? {} : { stage }),
          ...(progress === undefined ? {} : { progress }),
          ...(message === undefined ? {} : { message }),
          ...checkpointOf(request.body),
          notes: notesOf(request.body),
        },
      ]);
      if (result!.kind === 'refused') throw result!.error;
      const expiresAt = timeText(result!.leaseExpiry);
      return { lease: { owner: held.owner, expiresAt }, cancel: result!.cancel };
    },
  );
}

function keepStage(app: App, { engine }: Face): void {
  app.post(
    '/v1/jobs/:id/stages/:name',
    {
      schema: {
        summary: "Keep a stage's result",
        params: Type.Object({ ...JobParams.properties, name: Type.String() }),
        body: StageBody,
      },
    },
    async (request) => {
      const { id, name } = request.params;
      const held = heldBy(request, id, request.body);
      const stageResult = { name, result: JSON.stringify(request.body.result ?? null) };
      const [result] = await engine.renew([{ ...held, stageResult }]);
      if (result!.kind === 'refused') throw result!.error;
      return { name, cancel: result!.cancel };
    },
  );
}

function complete(app: App, { engine }: Face): void {
  app.post(
    '/v1/jobs/:id/complete',
    { schema: { summary: 'The job succeeded', params: JobParams, body: CompleteBody } },
    async (request) => {
      const { result } = request.body;
      const held = heldBy(request, request.params.id, request.body);
      return settle(engine, held, {
        kind: 'succeed',
        ...(result === undefined ? {} : { result: JSON.stringify(result) }),
      });
    },
  );
}

function fail(app: App, { engine }: Face): void {
  app.post(
    '/v1/jobs/:id/fail',
    { schema: { summary: 'The attempt failed', params: JobParams, body: FailBody } },
    async (request) => {
      const { error, deadLetter = null } = request.body;
      const held = heldBy(request, request.params.id, request.body);
      return settle(engine, held, { kind: 'fail', error, deadLetter });
    },
  );
}

function snooze(app: App, { engine }: Face): void {
  app.post(
    '/v1/jobs/:id/snooze',
    {
      schema: { summary: 'Wait without spending an attempt', params: JobParams, body: SnoozeBody },
    },
    async (request) => {
      const { delayMs } = request.body;
      const held = heldBy(request, request.params.id, request.body);
      const ending: Ending = { kind: 'snooze', delayMs, ...checkpointOf(request.body) };
      return settle(engine, held, ending);
    },
  );
}

function release(app: App, { engine }: Face): void {
  app.post(
    '/v1/jobs/:id/release',
    { schema: { summary: 'Give the job back', params: JobParams, body: OwnerBody } },
    async (request) =>
      settle(engine, heldBy(request, request.params.id, request.body), { kind: 'release' }),
  );
}

function honourCancel(app: App, { engine }: Face): void {
  app.post(
    '/v1/jobs/:id/cancelled',
    { schema: { summary: 'Honour a cancel wish', params: JobParams, body: CancelledBody } },
    async (request) => {
      const held = heldBy(request, request.params.id, request.body);
      return settle(engine, held, { kind: 'cancelled', ...checkpointOf(request.body) });
    },
  );
}

/** The worker protocol: claim, keep, settle, in any language. */
export const workers: Resource = routes(
  claimJobs,
  startJob,
  beat,
  keepStage,
  complete,
  fail,
  snooze,
  release,
  honourCancel,
);
