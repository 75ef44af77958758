import type { PastJob } from 'pawl/internal/engine/history/past';
import { timeText } from 'pawl/internal/contract/event-view';
import { JobParams } from 'pawl/internal/contract/job';
import {
  PAST_QUERY,
  type PastJobJson,
  PastJobSchema,
  PastSchema,
} from 'pawl/internal/contract/past';
import { type App, callerOf, refOf, type Resource, routes, type Services } from './services.ts';
import { errorJson } from './view.ts';

function momentOf(engine: Services['engine'], { at }: { readonly at?: string }): Promise<number> {
  return at === undefined ? engine.now() : Promise.resolve(Date.parse(at));
}

function pastJobJson({ at, job, ...then }: PastJob): PastJobJson {
  const { error, startedAt, completedAt } = then;
  return {
    at: timeText(at),
    id: job.id,
    type: job.type,
    lifecycle: job.lifecycle,
    queue: job.queue,
    state: then.state,
    phase: then.phase,
    epoch: then.epoch,
    version: then.version,
    attempts: then.attempts,
    retryCount: then.retryCount,
    progress: then.progress,
    stage: then.stage,
    message: then.message,
    error: error === null ? null : errorJson(job.type, error),
    worker: then.worker,
    createdAt: timeText(then.createdAt),
    updatedAt: timeText(then.updatedAt),
    startedAt: startedAt === null ? null : timeText(startedAt),
    completedAt: completedAt === null ? null : timeText(completedAt),
  };
}

function readPast(app: App, { engine }: Services): void {
  app.get(
    '/v1/past',
    {
      schema: {
        tags: ['Operations'],
        operationId: 'readPast',
        summary: 'Where jobs stood at a moment',
        description:
          'How many of your own jobs had not ended at a moment, by queue, type and state: those ' +
          'of now, with every entry of the log since then undone. It goes back as far as the ' +
          'log is kept, to `since`. The further back, the more entries are read.',
        querystring: PAST_QUERY,
        response: { 200: PastSchema },
      },
    },
    async (request) => {
      const { tenant } = callerOf(request);
      const asked = { tenant, at: await momentOf(engine, request.query) };
      const { at, since, places } = await engine.past(asked);
      return {
        at: timeText(at),
        since: since === null ? null : timeText(since),
        places: places.map((place) => ({ ...place })),
      };
    },
  );
}

function readPastJob(app: App, { engine }: Services): void {
  app.get(
    '/v1/jobs/:id/past',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'readPastJob',
        summary: 'One job as it stood at a moment',
        description:
          'What its history says up to then. 404 also where the job did not exist yet. A job ' +
          'that was erased keeps its moves and not its texts.',
        params: JobParams,
        querystring: PAST_QUERY,
        response: { 200: PastJobSchema },
        errors: ['NOT_FOUND'],
      },
    },
    async (request) => {
      const ref = refOf(request, request.params.id);
      return pastJobJson(await engine.pastJob(ref, await momentOf(engine, request.query)));
    },
  );
}

/** `/v1/past`, and `/v1/jobs/{id}/past`. */
export const past: Resource = routes(readPast, readPastJob);
