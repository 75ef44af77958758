import { Type } from 'typebox';
import type { FastifyReply } from 'fastify';
import { PawlError } from 'pawl/internal/core/errors';
import type { Job, JobRef } from 'pawl/internal/core/job';
import { isTerminal } from 'pawl/internal/core/phase';
import { resultValue } from 'pawl/internal/engine/by-reference';
import { REASONS } from 'pawl/internal/engine/limits/why';
import { recordOf } from 'pawl/internal/lifecycles/record';
import { resultArtifacts } from './artifact-view.ts';
import { preferredWaitMs } from './edge.ts';
import { type App, type Services, refOf, type Resource, routes } from './services.ts';
import { JobParams, JobSchema } from 'pawl/internal/contract/job';
import { closed, Json, nothing, nullable, Time } from 'pawl/internal/contract/values';
import { WITH_PAYLOADS } from 'pawl/internal/contract/payloads';
import { WAIT_MS_MAX } from 'pawl/internal/contract/worker';
import { bytesOf } from './value-body.ts';
import { isKnown } from './large-answers.ts';
import { jobJson, jobTag, wholeJobJson } from './view.ts';
import { timeText } from 'pawl/internal/contract/event-view';

const ReadQuery = closed({
  ...WITH_PAYLOADS,
  view: Type.Optional(
    Type.Enum(['record'], { description: "Answers in the shape of the job's own document." }),
  ),
  waitMs: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: WAIT_MS_MAX,
      description: 'How long to wait for the end of the job; also as `Prefer: wait=<seconds>`.',
    }),
  ),
});

/** A signal for the end of the request: the caller has gone, or the server stops. */
function goneSignal({ live }: Services, reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  // Of the answer, not of the socket: that one serves many requests and would gather listeners.
  reply.raw.once('close', () => gone.abort());
  return AbortSignal.any([gone.signal, live.stopping]);
}

/** The job at its end, or as it stands when the time is over. */
async function readOrWait(
  { engine }: Services,
  ref: JobRef,
  wait: { ms: number; gone: () => AbortSignal },
): Promise<Job> {
  if (wait.ms <= 0) return engine.job(ref);
  const signal = AbortSignal.any([wait.gone(), AbortSignal.timeout(wait.ms)]);
  return engine.waitFor(ref, { signal });
}

function readJob(app: App, services: Services): void {
  app.get(
    '/v1/jobs/:id',
    {
      config: { isLong: true },
      schema: {
        tags: ['Jobs'],
        operationId: 'readJob',
        summary: 'One job',
        description:
          'With `waitMs` the answer comes when the job has ended, or after that time as it then ' +
          'stands. The `ETag` changes with the job: send it as `If-None-Match` to get 304 while ' +
          'nothing has changed.',
        params: JobParams,
        querystring: ReadQuery,
        headers: Type.Object({
          'if-none-match': Type.Optional(Type.String({ maxLength: 1_024 })),
          prefer: Type.Optional(Type.String({ maxLength: 1_024 })),
        }),
        response: {
          200: Type.Union([JobSchema, Type.Record(Type.String(), Type.Unknown())]),
          304: nothing('The job is as it was.'),
        },
        errors: ['NOT_FOUND'],
      },
    },
    async (request, reply) => {
      const preferred = preferredWaitMs(request);
      const {
        view,
        payloads = false,
        waitMs = Math.min(preferred ?? 0, WAIT_MS_MAX),
      } = request.query;
      const ref = refOf(request, request.params.id);
      const gone = (): AbortSignal => goneSignal(services, reply);
      const job = await readOrWait(services, ref, { ms: waitMs, gone });
      if (preferred !== null) {
        void reply.header('preference-applied', `wait=${Math.round(waitMs / 1_000)}`);
      }
      const tag = jobTag(job);
      void reply.header('etag', tag).header('cache-control', 'private, no-cache');
      if (isKnown(request.headers['if-none-match'], tag)) return reply.code(304).send();
      const shown = payloads ? wholeJobJson(job) : jobJson(job);
      return reply.code(200).send(view === 'record' ? (recordOf(job) ?? shown) : shown);
    },
  );
}

const WhySchema = Type.Object(
  {
    reason: Type.Enum([...REASONS]),
    message: Type.String({ description: 'One sentence for a person.' }),
    since: Time,
    until: nullable(Time),
    facts: Type.Record(Type.String(), Type.Unknown()),
  },
  { $id: 'Why', additionalProperties: false },
);

function readWhy(app: App, { engine }: Services): void {
  app.get(
    '/v1/jobs/:id/why',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'readWhy',
        summary: 'Why a job is where it is',
        description: 'What it waits for, since when and until when, as far as the platform knows.',
        params: JobParams,
        response: { 200: WhySchema },
        errors: ['NOT_FOUND'],
      },
    },
    async (request) => {
      const why = await engine.why(refOf(request, request.params.id));
      const { reason, message, since, until, facts } = why;
      return {
        reason,
        message,
        since: timeText(since),
        until: until === null ? null : timeText(until),
        facts,
      };
    },
  );
}

function readResult(app: App, { engine, artifacts }: Services): void {
  app.get(
    '/v1/jobs/:id/result',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'readResult',
        summary: 'The result of a job that succeeded',
        description:
          'The JSON that the handler gave, whatever its size. Artifacts of the job are named in ' +
          'the `Link` header as signed links, as many as fit in 6,000 characters; where there ' +
          'are more, the link `rel="collection"` leads to all of them. A job that gave nothing ' +
          'but artifacts answers `{artifacts: […]}`.',
        params: JobParams,
        response: { 200: Json },
        errors: ['NOT_FOUND', 'NOT_FINISHED', 'NO_RESULT'],
      },
    },
    async (request, reply) => {
      const job = await engine.job(refOf(request, request.params.id));
      if (!isTerminal(job.phase)) {
        throw new PawlError('NOT_FINISHED', `job ${job.id} is still ${job.state}`);
      }
      if (job.phase !== 'succeeded') {
        throw new PawlError('NO_RESULT', `job ${job.id} ended as ${job.state}`);
      }
      if (artifacts !== null) {
        const shown = await resultArtifacts(artifacts, job);
        if (shown.link !== null) void reply.header('link', shown.link);
        if (job.result === null && shown.link !== null) return { artifacts: shown.artifacts };
      }
      const value = artifacts === null ? null : await resultValue(artifacts.access, job);
      const body = value === null ? (job.result ?? 'null') : bytesOf(value);
      return reply.type('application/json').send(body);
    },
  );
}

/** `/v1/jobs/{id}`: one job, how it stands and what it gave. */
export const job: Resource = routes(readJob, readWhy, readResult);
