import { Type } from 'typebox';
import type { FastifyRequest } from 'fastify';
import { boundedFailure } from 'pawl/internal/core/bounded-error';
import { BOUNDS } from 'pawl/internal/core/bounds';
import { PawlError } from 'pawl/internal/core/errors';
import type { Job } from 'pawl/internal/core/job';
import { isTerminal } from 'pawl/internal/core/phase';
import { versionTag } from 'pawl/internal/engine/operate';
import { actorOf, type App, type Services, refOf, type Resource, routes } from './services.ts';
import { IfMatchByState, preconditionOf } from 'pawl/internal/contract/if-match';
import { JobParams, JobSchema } from 'pawl/internal/contract/job';
import { FailureSchema, ReasonSchema } from 'pawl/internal/contract/worker';
import { closed, shown } from 'pawl/internal/contract/values';
import { jobJson } from './view.ts';

export const CANCEL = {
  mode: Type.Optional(
    Type.Enum(['soft', 'hard'], {
      default: 'soft',
      description: 'soft: the owner is asked to stop. hard: the job ends at once.',
    }),
  ),
  reason: Type.Optional(shown(BOUNDS.message, 1)),
};

const NO_BODY = closed({});

/** What is said of a cancellation, of one job or of many. */
export const CANCEL_TEXT =
  'A job that nobody executes ends at once (200). A job that is being executed is asked to stop ' +
  '(202): the answer to its next heartbeat says so, its owner saves a checkpoint and ' +
  'reports `cancelled`, and a job whose owner fails, snoozes or is lost meanwhile ends cancelled ' +
  'too; only a `complete` that comes first still wins. With mode `hard` the job ends at once and ' +
  'its owner finds its lease lost. A job that was cancelled before: 200, unchanged. A job that ' +
  'ended otherwise, or whose lifecycle knows no cancellation (platform): 409.';

function submitJob(app: App, { engine }: Services): void {
  app.post(
    '/v1/jobs/:id/submit',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'submitJob',
        summary: 'Make a held job eligible',
        description: 'A job in a later state is not changed, so a repeat has no effect.',
        params: JobParams,
        headers: IfMatchByState,
        body: NO_BODY,
        response: { 200: JobSchema },
        errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION', 'PRECONDITION_FAILED'],
      },
    },
    async (request) => {
      const ref = refOf(request, request.params.id);
      const requires = preconditionOf(request.headers);
      return jobJson(await engine.submit(ref, actorOf(request), requires));
    },
  );
}

function cancelJob(app: App, { engine }: Services): void {
  app.post(
    '/v1/jobs/:id/cancel',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'cancelJob',
        summary: 'Cancel a job',
        description: CANCEL_TEXT,
        params: JobParams,
        headers: IfMatchByState,
        body: closed(CANCEL),
        response: { 200: JobSchema, 202: JobSchema },
        errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION', 'PRECONDITION_FAILED'],
      },
    },
    async (request, reply) => {
      const { mode = 'soft', reason = null } = request.body;
      const ref = refOf(request, request.params.id);
      const requires = preconditionOf(request.headers);
      const asked = { ref, actor: actorOf(request), mode, reason, requires };
      const [result] = await engine.cancel([asked]);
      if (result!.kind === 'refused') throw result!.error;
      return reply.code(result!.kind === 'done' ? 200 : 202).send(jobJson(result!.job));
    },
  );
}

/** The job as it is, if the refused move is one that this very request has made before. */
async function asBefore(
  { engine }: Services,
  refused: unknown,
  asked: { request: FastifyRequest; id: string; isDone: (job: Job) => boolean },
): Promise<Job> {
  if (refused instanceof PawlError && refused.code === 'ILLEGAL_TRANSITION') {
    const job = await engine.job(refOf(asked.request, asked.id));
    if (isTerminal(job.phase) && asked.isDone(job)) return job;
  }
  throw refused;
}

function rejectJob(app: App, services: Services): void {
  app.post(
    '/v1/jobs/:id/reject',
    {
      schema: {
        tags: ['Operations'],
        operationId: 'rejectJob',
        summary: 'Give a ready job up before anyone began it',
        description: 'The same rejection again, with the same error: 200, no change.',
        params: JobParams,
        headers: IfMatchByState,
        body: closed({ error: FailureSchema }),
        response: { 200: JobSchema },
        errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION', 'PRECONDITION_FAILED'],
      },
    },
    async (request) => {
      const { error } = request.body;
      const { id } = request.params;
      const ref = refOf(request, id);
      const kept = boundedFailure(error);
      const isDone = (job: Job): boolean =>
        job.error?.class === kept.class && job.error.message === kept.message;
      const job = await services.engine
        .reject({ ref, actor: actorOf(request), error, requires: preconditionOf(request.headers) })
        .catch((refused: unknown) => asBefore(services, refused, { request, id, isDone }));
      return jobJson(job);
    },
  );
}

function deadLetterJob(app: App, services: Services): void {
  app.post(
    '/v1/jobs/:id/dead-letter',
    {
      schema: {
        tags: ['Operations'],
        operationId: 'deadLetterJob',
        summary: 'Move a job to the dead-letter queue',
        description: 'For the lifecycle `distributed`. A repeat: 200, unchanged.',
        params: JobParams,
        headers: IfMatchByState,
        body: closed({ reasonCode: ReasonSchema, message: shown(BOUNDS.errorMessage) }),
        response: { 200: JobSchema },
        errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION', 'PRECONDITION_FAILED'],
      },
    },
    async (request) => {
      const { reasonCode: reason, message } = request.body;
      const { id } = request.params;
      const ref = refOf(request, id);
      const kept = boundedFailure({ class: reason, message });
      const isDone = (job: Job): boolean =>
        job.phase === 'dead' && job.error?.message === kept.message;
      const job = await services.engine
        .deadLetter({
          ref,
          actor: actorOf(request),
          reason,
          message,
          requires: preconditionOf(request.headers),
        })
        .catch((refused: unknown) => asBefore(services, refused, { request, id, isDone }));
      return jobJson(job);
    },
  );
}

function eraseJob(app: App, { engine }: Services): void {
  app.post(
    '/v1/jobs/:id/erase',
    {
      schema: {
        tags: ['Operations'],
        operationId: 'eraseJob',
        summary: 'Erase the payloads of a job',
        description:
          'Input, result, checkpoint, messages, notes and artifacts of a job that has ended are ' +
          'gone for good, in its dead letters too; that it ran and how it ended stays, with a ' +
          '`job_erased` at the end of its history. For administrators. A repeat: no change.',
        params: JobParams,
        headers: IfMatchByState,
        body: NO_BODY,
        response: { 200: JobSchema },
        errors: ['NOT_FOUND', 'NOT_FINISHED', 'PRECONDITION_FAILED'],
      },
    },
    async (request) => {
      const ref = refOf(request, request.params.id);
      // One that has ended, as it must have, changes by this alone.
      const requires = preconditionOf(request.headers);
      if (requires !== undefined) requires(versionTag(await engine.job(ref)));
      return jobJson(await engine.erase(ref, actorOf(request)));
    },
  );
}

/** What someone who does not own a job may ask of it. */
export const operations: Resource = routes(
  submitJob,
  cancelJob,
  rejectJob,
  deadLetterJob,
  eraseJob,
);
