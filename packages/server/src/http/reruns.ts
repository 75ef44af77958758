import { Type } from 'typebox';
import { briefJob } from 'pawl/internal/core/brief-error';
import type { Engine } from 'pawl/internal/engine/engine';
import type { RerunHow, RerunResult } from 'pawl/internal/engine/failures';
import { PLAIN_COPY } from 'pawl/internal/engine/kept-stages';
import { idsOrFilter, Ids, ITEMS_MAX, notEmpty, type Item, RESULTS } from './bulk.ts';
import { type App, callerOf, type Services, type Resource, routes } from './services.ts';
import { failureQueryOf } from './failures.ts';
import { JOB_FILTER } from './jobs.ts';
import { problemOf } from './problem.ts';
import { FAILURE_FILTER, FailedJobCursor } from 'pawl/internal/contract/failure';
import { IDEMPOTENT_BY_KEY } from 'pawl/internal/contract/headers';
import { JobParams, JobSchema } from 'pawl/internal/contract/job';
import { closed, Json, nullable } from 'pawl/internal/contract/values';
import { jobJson, jobUrl } from './view.ts';

const Keep = Type.Boolean({
  default: false,
  description:
    'Begin with the results of the stages and effects (`once`) that were finished, except for ' +
    'those that refer to artifacts which are gone and those that are sealed, which the server ' +
    'cannot read. An unfinished stage starts from the beginning, even if it had a checkpoint.',
});

function rerunJob(app: App, { engine }: Services): void {
  app.post(
    '/v1/jobs/:id/rerun',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'rerunJob',
        summary: 'Run a job that has ended again',
        description:
          'However it ended: a new job with its input or the one given, of the same queue, ' +
          "priority, metadata, document and correlation, under the type's policy of today. It " +
          'names the other as its `parentJobId`, with `parentKind` `rerun`. With an ' +
          '`Idempotency-Key` the same request within 24 h finds the job of the first time (200).',
        params: JobParams,
        headers: IDEMPOTENT_BY_KEY,
        body: closed({ input: Type.Optional(Json), keep: Type.Optional(Keep) }),
        response: { 200: JobSchema, 202: JobSchema },
        errors: [
          'NOT_FOUND',
          'NOT_FINISHED',
          'UNKNOWN_TYPE',
          'IDEMPOTENCY_CONFLICT',
          'CONCURRENCY_CONFLICT',
        ],
      },
    },
    async (request, reply) => {
      const { input, keep = false } = request.body;
      const key = request.headers['idempotency-key'];
      const { kind, job } = await engine.rerun({
        id: request.params.id,
        caller: callerOf(request),
        ...(input === undefined ? {} : { input }),
        ...(keep ? { keep: PLAIN_COPY } : {}),
        ...(key === undefined ? {} : { idempotencyKey: key }),
      });
      if (kind === 'replayed') void reply.header('idempotency-replayed', 'true');
      return reply
        .code(kind === 'created' ? 202 : 200)
        .header('location', jobUrl(job.id))
        .send(jobJson(job));
    },
  );
}

function itemOf(result: RerunResult): Item {
  const { id } = result;
  if (result.kind === 'refused') {
    return { id, status: result.error.status, error: problemOf(result.error) };
  }
  return { id, status: result.kind === 'created' ? 202 : 200, job: jobJson(briefJob(result.job)) };
}

const { fingerprint, createdFrom, createdTo } = FAILURE_FILTER;
const EndedFilter = notEmpty({ ...JOB_FILTER, fingerprint, createdFrom, createdTo });

function rerunJobs(app: App, { engine }: Services): void {
  app.post(
    '/v1/jobs/rerun',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'rerunJobs',
        summary: 'Run many jobs again',
        description:
          'Those named, or those that a filter finds among the failed jobs (or, with ' +
          '`phase`, otherwise) and that were neither run again nor replayed yet. Each becomes ' +
          'one new job. An `Idempotency-Key` counts for each of `ids` together with its place in ' +
          'the list; with a filter a repeat finds only what is left.',
        headers: IDEMPOTENT_BY_KEY,
        body: closed({
          ids: Type.Optional(Ids),
          filter: Type.Optional(EndedFilter),
          limit: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: ITEMS_MAX,
              default: ITEMS_MAX,
              description: 'With a filter: maximum number of jobs to rerun.',
            }),
          ),
          cursor: Type.Optional(FailedJobCursor),
          keep: Type.Optional(Keep),
        }),
        response: { 200: closed({ ...RESULTS, nextCursor: nullable(Type.String()) }) },
      },
    },
    async (request) => {
      const { ids, filter, limit = ITEMS_MAX, cursor, keep = false } = request.body;
      const caller = callerOf(request);
      const how = keep ? { caller, keep: PLAIN_COPY } : { caller };
      const asked = idsOrFilter(ids, filter);
      if ('ids' in asked) {
        const key = request.headers['idempotency-key'];
        const results = await rerunNamed(engine, asked.ids, { ...how, idempotencyKey: key });
        return { results, hasMore: false, nextCursor: null };
      }
      const query = failureQueryOf(caller.tenant, asked.filter);
      const from = cursor === undefined ? {} : { cursor };
      const done = await engine.failures.rerun(query, { ...how, limit, ...from });
      const { nextCursor } = done;
      return { results: done.results.map(itemOf), hasMore: nextCursor !== null, nextCursor };
    },
  );
}

async function rerunNamed(engine: Engine, ids: readonly string[], how: RerunHow): Promise<Item[]> {
  const { idempotencyKey: key } = how;
  const results: Item[] = [];
  for (const [index, id] of ids.entries()) {
    const idempotencyKey = key === undefined ? undefined : `${key} #${index}`;
    results.push(itemOf(await engine.failures.rerunOne(id, { ...how, idempotencyKey })));
  }
  return results;
}

/** What has ended, once more. */
export const reruns: Resource = routes(rerunJob, rerunJobs);
