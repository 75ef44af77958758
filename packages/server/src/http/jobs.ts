import { Type } from 'typebox';
import type { FastifyRequest } from 'fastify';
import type { EnqueueRequest } from 'pawl/internal/engine/enqueue-request';
import { keptTrace } from 'pawl/internal/core/trace';
import { SEARCH_WINDOW } from 'pawl/internal/store/search';
import {
  type App,
  callerOf,
  credentialOf,
  type Services,
  type Resource,
  routes,
} from './services.ts';
import { jobShower, sendPage } from './page.ts';
import { reachedRequest } from './reach.ts';
import { readNear } from './replica-reads.ts';
import { IDEMPOTENT_BY_KEY } from 'pawl/internal/contract/headers';
import { type BatchJobJson, EnqueueBody, type EnqueueJson } from 'pawl/internal/contract/enqueue';
import { JobSchema } from 'pawl/internal/contract/job';
import { WITH_PAYLOADS } from 'pawl/internal/contract/payloads';
import {
  closed,
  Label,
  Name,
  pagedBy,
  pageOf,
  PhaseName,
  text,
  Time,
  Uuid,
} from 'pawl/internal/contract/values';
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

function searched(lengthMax: number, description: string) {
  return Type.Optional(Type.String({ ...text(lengthMax, 1), description }));
}

function instant(description: string) {
  return Type.Optional(Type.String({ ...Time, description }));
}

/** What a list can be searched for besides: no index answers it. */
const JOB_SEARCH = {
  createdFrom: instant('Created then or later.'),
  createdTo: instant('Created before then.'),
  text: searched(
    200,
    'A part of its type, queue, state, stage, message, document, correlation, requester, ' +
      'metadata or error, A to Z in either case. Inputs and results are not looked at.',
  ),
  error: searched(200, 'The code or the class of its error, or a part of its message.'),
  fingerprint: searched(64, 'That of its dead letter: the same fault in other jobs.'),
};

const PRIORITIES = { normal: 'normal', high: 'high' } as const;

/** What the engine is asked for by a body. */
export function requestOf(
  body: EnqueueJson | BatchJobJson,
  from: { request: FastifyRequest; idempotencyKey: string | undefined },
): EnqueueRequest {
  const {
    runAt,
    deadlineAt,
    priority,
    ref: _r,
    after: _a,
    onNeedFailed: _o,
    ...rest
  } = body as BatchJobJson;
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

function acceptJob(app: App, { engine }: Services): void {
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
          'time (200, `Idempotency-Replayed: true`), and another payload, or ' +
          'another `submit`, is refused (409). The ' +
          'payload is compared as canonical JSON, or by `payloadHash` where it is encrypted. ' +
          'With `unique` an existing job may be answered instead of a new one (200). The header ' +
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
      const wish = requestOf(request.body, { request, idempotencyKey });
      const asked = await reachedRequest(engine, credentialOf(request), wish);
      const [result] = await engine.enqueue([asked], { caller: callerOf(request) });
      if (result!.kind === 'refused') throw result!.error;
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

function listJobs(app: App, services: Services): void {
  app.get(
    '/v1/jobs',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'listJobs',
        summary: 'Jobs, newest first',
        description:
          'Pages are stable while jobs are added. The next page is also a `Link` with ' +
          'rel="next". A list with `createdFrom`, `createdTo`, `text`, `error` or `fingerprint` ' +
          `looks at ${SEARCH_WINDOW} jobs a page, the newest first: a page with fewer items than ` +
          '`limit`, or with none, is the last only if its `nextCursor` is null. Those of one ' +
          '`documentId`, `correlationId` or `parentJobId` are counted alone where one is given.',
        querystring: closed({
          ...JOB_FILTER,
          ...JOB_SEARCH,
          ...WITH_PAYLOADS,
          ...pagedBy(Uuid),
        }),
        response: { 200: pageOf(JobSchema) },
      },
    },
    async (request, reply) => {
      const { cursor, limit = 50, createdFrom, createdTo, payloads: _, ...filters } = request.query;
      const show = jobShower(request.query);
      const query = {
        ...filters,
        tenant: callerOf(request).tenant,
        requester: credentialOf(request),
        limit,
        ...(createdFrom === undefined ? {} : { createdFrom: Date.parse(createdFrom) }),
        ...(createdTo === undefined ? {} : { createdTo: Date.parse(createdTo) }),
        ...(cursor === undefined ? {} : { before: cursor }),
      };
      const page = await readNear(services, { request, reply }, (from) => from.jobs(query));
      const { searchedTo = page.jobs.at(-1)?.id } = page;
      const nextCursor = page.hasMore ? (searchedTo ?? null) : null;
      return sendPage(reply, page.jobs.map(show), nextCursor);
    },
  );
}

/** `/v1/jobs`: accept and list. */
export const jobs: Resource = routes(acceptJob, listJobs);
