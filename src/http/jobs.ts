import { Type } from 'typebox';
import type { FastifyRequest } from 'fastify';
import type { EnqueueResult } from '../engine/enqueue.ts';
import type { EnqueueRequest } from '../engine/enqueue-request.ts';
import { keptTrace } from '../core/trace.ts';
import { type App, callerOf, type Face, type Resource, routes } from './face.ts';
import { jobTopic, workTopic } from './live.ts';
import { sendPage } from './page.ts';
import { IDEMPOTENT_BY_KEY } from './schema/headers.ts';
import { EnqueueBody, type EnqueueJson } from './schema/enqueue.ts';
import { JobSchema } from './schema/job.ts';
import { closed, Label, Name, PAGING, pageOf, PhaseName, text, Uuid } from './schema/values.ts';
import { jobJson, jobTag, jobUrl } from './view.ts';

/** By what jobs are found; also what a cancellation of many names. */
export const JOB_FILTER = {
  type: Type.Optional(Name),
  state: Type.Optional(text(128, 1)),
  phase: Type.Optional(PhaseName),
  queue: Type.Optional(Name),
  documentId: Type.Optional(Label),
  correlationId: Type.Optional(Label),
  parentJobId: Type.Optional(Uuid),
};

const PRIORITIES = { normal: 'normal', high: 'high' } as const;

/** What the engine is asked for by a body. */
export function requestOf(
  body: EnqueueJson,
  from: { request: FastifyRequest; idempotencyKey: string | undefined },
): EnqueueRequest {
  const { runAt, deadlineAt, priority, ...rest } = body;
  const { idempotencyKey } = from;
  const traceId = keptTrace(String(from.request.headers['traceparent'] ?? ''));
  return {
    ...rest,
    ...(priority === undefined
      ? {}
      : { priority: typeof priority === 'number' ? priority : PRIORITIES[priority] }),
    ...(runAt === undefined ? {} : { runAt: Date.parse(runAt) }),
    ...(deadlineAt === undefined ? {} : { deadlineAt: Date.parse(deadlineAt) }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(traceId === null ? {} : { traceId }),
  };
}

/** Tells those who wait in this process, ahead of the log. */
export function announce({ live }: Face, results: readonly EnqueueResult[]): void {
  for (const result of results) {
    if (result.kind === 'refused') continue;
    live.wake(jobTopic(result.job));
    if (result.job.phase === 'ready') live.wake(workTopic(result.job.tenant, result.job.type));
  }
}

function acceptJob(app: App, face: Face): void {
  app.post(
    '/v1/jobs',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'acceptJob',
        summary: 'Accept a job',
        description:
          'The job is durable when the answer comes: it survives kill -9 and power loss. ' +
          'With an `Idempotency-Key`, the same request within 24 h finds the job of the first ' +
          'time (200, `Idempotency-Replayed: true`), and another payload is refused (409). The ' +
          'payload is compared as canonical JSON, or by `payloadHash` where it is encrypted. ' +
          'With `unique` a job that is there already may stand for the new one (200). The header ' +
          '`Pawl-Outcome` says which it was: created, replayed, throttled, debounced or ' +
          'replaced. The trace of a `traceparent` is kept with the job and on all its events.',
        headers: IDEMPOTENT_BY_KEY,
        body: EnqueueBody,
        response: { 200: JobSchema, 202: JobSchema },
        errors: [
          'UNKNOWN_TYPE',
          'IDEMPOTENCY_CONFLICT',
          'ALREADY_EXISTS',
          'CONCURRENCY_CONFLICT',
          'QUEUE_OVERLOADED',
        ],
      },
    },
    async (request, reply) => {
      const idempotencyKey = request.headers['idempotency-key'];
      const asked = requestOf(request.body, { request, idempotencyKey });
      const results = await face.engine.enqueue([asked], { caller: callerOf(request) });
      const [result] = results;
      if (result!.kind === 'refused') throw result!.error;
      announce(face, results);
      const job = jobJson(result!.job);
      if (result!.kind === 'replayed') void reply.header('idempotency-replayed', 'true');
      return reply
        .code(result!.kind === 'created' ? 202 : 200)
        .header('location', jobUrl(job.id))
        .header('pawl-outcome', result!.kind)
        .header('link', `<${jobUrl(job.id)}/events>; rel="monitor"`)
        .header('etag', jobTag(result!.job))
        .send(job);
    },
  );
}

function listJobs(app: App, { engine }: Face): void {
  app.get(
    '/v1/jobs',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'listJobs',
        summary: 'Jobs, newest first',
        description:
          'Pages are stable while jobs are added. The next page is also a `Link` with rel="next".',
        querystring: closed({ ...JOB_FILTER, ...PAGING, cursor: Type.Optional(Uuid) }),
        response: { 200: pageOf(JobSchema) },
      },
    },
    async (request, reply) => {
      const { cursor, limit = 50, ...filters } = request.query;
      const page = await engine.jobs({
        ...filters,
        tenant: callerOf(request).tenant,
        limit,
        ...(cursor === undefined ? {} : { before: cursor }),
      });
      const last = page.hasMore ? page.jobs.at(-1) : undefined;
      return sendPage(reply, page.jobs.map(jobJson), last?.id ?? null);
    },
  );
}

/** `/v1/jobs`: accept and list. */
export const jobs: Resource = routes(acceptJob, listJobs);
