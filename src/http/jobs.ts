import { Type } from 'typebox';
import { PawlError } from '../core/errors.ts';
import type { Job, JobRef } from '../core/job.ts';
import { isTerminal } from '../core/phase.ts';
import type { EnqueueResult } from '../engine/enqueue.ts';
import type { EnqueueRequest } from '../engine/enqueue-request.ts';
import { recordOf } from '../lifecycles/record.ts';
import { type App, callerOf, type Face, refOf, type Resource, routes } from './face.ts';
import { problemOf } from './problem.ts';
import { BatchBody, EnqueueBody, type EnqueueJson } from './schema/enqueue.ts';
import { JobSchema } from './schema/job.ts';
import { Label, Name, PhaseName, Uuid } from './schema/values.ts';
import { jobJson, jobUrl } from './view.ts';

export const JobParams = Type.Object({ id: Uuid });

const WAIT_MS_MAX = 60_000;

const ListQuery = Type.Object(
  {
    type: Type.Optional(Name),
    state: Type.Optional(Type.String()),
    phase: Type.Optional(PhaseName),
    queue: Type.Optional(Name),
    documentId: Type.Optional(Label),
    correlationId: Type.Optional(Label),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
    cursor: Type.Optional(Uuid),
  },
  { additionalProperties: false },
);

const ReadQuery = Type.Object(
  {
    view: Type.Optional(Type.Enum(['record'])),
    waitMs: Type.Optional(Type.Integer({ minimum: 0, maximum: WAIT_MS_MAX })),
  },
  { additionalProperties: false },
);

const PRIORITIES = { normal: 'normal', high: 'high' } as const;

function requestOf(body: EnqueueJson, idempotencyKey: string | undefined): EnqueueRequest {
  const { runAt, deadlineAt, priority, ...rest } = body;
  return {
    ...rest,
    ...(priority === undefined
      ? {}
      : { priority: typeof priority === 'number' ? priority : PRIORITIES[priority] }),
    ...(runAt === undefined ? {} : { runAt: Date.parse(runAt) }),
    ...(deadlineAt === undefined ? {} : { deadlineAt: Date.parse(deadlineAt) }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}

function batchItem(result: EnqueueResult): Record<string, unknown> {
  if (result.kind === 'refused') {
    return { status: result.error.status, error: problemOf(result.error) };
  }
  return { status: result.kind === 'created' ? 202 : 200, job: jobJson(result.job) };
}

async function waitForEnd({ engine, live }: Face, ref: JobRef, waitMs: number): Promise<Job> {
  const until = performance.now() + waitMs;
  const never = new AbortController().signal;
  for (;;) {
    const job = await engine.job(ref);
    const leftMs = until - performance.now();
    if (isTerminal(job.phase) || leftMs <= 0) return job;
    await live.news(ref.id, leftMs, never);
  }
}

function acceptJob(app: App, { engine }: Face): void {
  app.post(
    '/v1/jobs',
    {
      schema: {
        summary: 'Accept a job; durable when answered',
        headers: Type.Object({ 'idempotency-key': Type.Optional(Label) }),
        body: EnqueueBody,
        response: { 200: JobSchema, 202: JobSchema },
      },
    },
    async (request, reply) => {
      const asked = requestOf(request.body, request.headers['idempotency-key']);
      const [result] = await engine.enqueue([asked], { caller: callerOf(request) });
      if (result!.kind === 'refused') throw result!.error;
      const job = jobJson(result!.job);
      if (result!.kind === 'replayed') void reply.header('idempotency-replayed', 'true');
      return reply
        .code(result!.kind === 'created' ? 202 : 200)
        .header('location', jobUrl(job.id))
        .send(job);
    },
  );
}

function acceptBatch(app: App, { engine }: Face): void {
  app.post(
    '/v1/jobs/batch',
    { schema: { summary: 'Accept many jobs, one result an item', body: BatchBody } },
    async (request) => {
      const asked = request.body.jobs.map((body) => requestOf(body, undefined));
      const results = await engine.enqueue(asked, { caller: callerOf(request) });
      return { results: results.map(batchItem) };
    },
  );
}

function listJobs(app: App, { engine }: Face): void {
  app.get(
    '/v1/jobs',
    { schema: { summary: 'Jobs, newest first', querystring: ListQuery } },
    async (request) => {
      const { cursor, limit = 50, ...filters } = request.query;
      const page = await engine.jobs({
        ...filters,
        tenant: callerOf(request).tenant,
        limit,
        ...(cursor === undefined ? {} : { before: cursor }),
      });
      const last = page.jobs.at(-1);
      return {
        items: page.jobs.map(jobJson),
        nextCursor: page.hasMore && last !== undefined ? last.id : null,
      };
    },
  );
}

function readJob(app: App, face: Face): void {
  app.get(
    '/v1/jobs/:id',
    { schema: { summary: 'One job', params: JobParams, querystring: ReadQuery } },
    async (request) => {
      const { view, waitMs = 0 } = request.query;
      const job = await waitForEnd(face, refOf(request, request.params.id), waitMs);
      return view === 'record' ? recordOf(job) : jobJson(job);
    },
  );
}

function readResult(app: App, { engine }: Face): void {
  app.get(
    '/v1/jobs/:id/result',
    { schema: { summary: 'The result of a job that succeeded', params: JobParams } },
    async (request, reply) => {
      const job = await engine.job(refOf(request, request.params.id));
      if (!isTerminal(job.phase)) {
        throw new PawlError('NOT_FINISHED', `job ${job.id} is still ${job.state}`);
      }
      if (job.phase !== 'succeeded') {
        throw new PawlError('NO_RESULT', `job ${job.id} ended as ${job.state}`);
      }
      return reply.type('application/json').send(job.result ?? 'null');
    },
  );
}

/** `/v1/jobs`: accept, list and read. */
export const jobs: Resource = routes(acceptJob, acceptBatch, listJobs, readJob, readResult);
