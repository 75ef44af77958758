import { Type } from 'typebox';
import { apiActor } from '../core/actor.ts';
import type { CancelResult } from '../engine/operate.ts';
import { type App, callerOf, type Face, refOf, type Resource, routes } from './face.ts';
import { JobParams } from './jobs.ts';
import { problemOf } from './problem.ts';
import { FailureSchema, ReasonSchema } from './schema/worker.ts';
import { closed, Uuid } from './schema/values.ts';
import { jobJson } from './view.ts';

const CANCEL = {
  mode: Type.Optional(Type.Enum(['soft', 'hard'])),
  reason: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 })),
};

function cancelItem(id: string, result: CancelResult): Record<string, unknown> {
  if (result.kind === 'refused') {
    return { id, status: result.error.status, error: problemOf(result.error) };
  }
  return { id, status: result.kind === 'done' ? 200 : 202, job: jobJson(result.job) };
}

function submitJob(app: App, { engine }: Face): void {
  app.post(
    '/v1/jobs/:id/submit',
    { schema: { summary: 'Make a held job eligible', params: JobParams } },
    async (request) => {
      const actor = apiActor(callerOf(request).principal);
      return jobJson(await engine.submit(refOf(request, request.params.id), actor));
    },
  );
}

function cancelJob(app: App, { engine }: Face): void {
  app.post(
    '/v1/jobs/:id/cancel',
    {
      schema: {
        summary: 'Cancel: 200 when done, 202 when the owner has been asked',
        params: JobParams,
        body: closed(CANCEL),
      },
    },
    async (request, reply) => {
      const { mode = 'soft', reason = null } = request.body;
      const actor = apiActor(callerOf(request).principal);
      const ref = refOf(request, request.params.id);
      const [result] = await engine.cancel([{ ref, actor, mode, reason }]);
      if (result!.kind === 'refused') throw result!.error;
      return reply.code(result!.kind === 'done' ? 200 : 202).send(jobJson(result!.job));
    },
  );
}

function cancelJobs(app: App, { engine }: Face): void {
  app.post(
    '/v1/jobs/cancel',
    {
      schema: {
        summary: 'Cancel many, one result an item',
        body: closed({ ...CANCEL, ids: Type.Array(Uuid, { minItems: 1, maxItems: 1_000 }) }),
      },
    },
    async (request) => {
      const { ids, mode = 'soft', reason = null } = request.body;
      const actor = apiActor(callerOf(request).principal);
      const distinct = [...new Set(ids)];
      const results = await engine.cancel(
        distinct.map((id) => ({ ref: refOf(request, id), actor, mode, reason })),
      );
      return { results: results.map((result, index) => cancelItem(distinct[index]!, result)) };
    },
  );
}

function rejectJob(app: App, { engine }: Face): void {
  app.post(
    '/v1/jobs/:id/reject',
    {
      schema: {
        summary: 'Give a ready job up before anyone began it',
        params: JobParams,
        body: closed({ error: FailureSchema }),
      },
    },
    async (request) => {
      const actor = apiActor(callerOf(request).principal);
      const ref = refOf(request, request.params.id);
      return jobJson(await engine.reject({ ref, actor, error: request.body.error }));
    },
  );
}

function deadLetterJob(app: App, { engine }: Face): void {
  app.post(
    '/v1/jobs/:id/dead-letter',
    {
      schema: {
        summary: 'Move a job to the dead-letter queue',
        params: JobParams,
        body: closed({ reasonCode: ReasonSchema, message: Type.String({ maxLength: 16_384 }) }),
      },
    },
    async (request) => {
      const { reasonCode: reason, message } = request.body;
      const actor = apiActor(callerOf(request).principal);
      const ref = refOf(request, request.params.id);
      return jobJson(await engine.deadLetter({ ref, actor, reason, message }));
    },
  );
}

/** What someone who does not own a job may ask of it. */
export const operations: Resource = routes(
  submitJob,
  cancelJob,
  cancelJobs,
  rejectJob,
  deadLetterJob,
);
