import { type Static, Type } from 'typebox';
import { isPawlError, PawlError } from 'pawl/internal/core/errors';
import type { Caller, EnqueueResult } from 'pawl/internal/engine/enqueue';
import type { EnqueueRequest } from 'pawl/internal/engine/enqueue-request';
import type { GraphItem } from 'pawl/internal/engine/flows/flows';
import { type App, callerOf, type Services, type Resource, routes } from './services.ts';
import { requestOf } from './jobs.ts';
import { problemOf } from './problem.ts';
import { BATCH_MAX, BatchBody, type BatchJobJson } from 'pawl/internal/contract/enqueue';
import { IDEMPOTENT_BY_KEY } from 'pawl/internal/contract/headers';
import { BatchItemSchema } from 'pawl/internal/contract/problem';
import { closed } from 'pawl/internal/contract/values';
import { listed, type RequestFault } from './validation.ts';
import { jobJson } from './view.ts';

/** Members a batch may have beyond those of its jobs, which are many. */
const BATCH_KEYS_MAX = 100 * BATCH_MAX;

type Item = Static<typeof BatchItemSchema>;

function itemOf(result: EnqueueResult): Item {
  if (result.kind === 'refused') return refusal(result.error);
  const { kind, job } = result;
  return { status: kind === 'created' ? 202 : 200, outcome: kind, job: jobJson(job) };
}

function refusal(error: PawlError): Item {
  return { status: error.status, error: problemOf(error) };
}

/** The items that are no jobs at all, by their place; a fault of the batch itself refuses it. */
function faultyItems(error: Error | undefined): Map<number, PawlError> {
  if (error === undefined) return new Map();
  if (!isPawlError(error)) throw error;
  const faults = (error.faults as readonly RequestFault[]).map((fault) => {
    const [, place, pointer = ''] = /^\/jobs\/(\d+)(\/.*)?$/.exec(fault.pointer) ?? [];
    if (fault.in !== 'body' || place === undefined) throw error;
    return { place: Number(place), fault: { ...fault, pointer } };
  });
  const byPlace = [...Map.groupBy(faults, ({ place }) => place)];
  return new Map(byPlace.map(([place, own]) => [place, listed(own.map(({ fault }) => fault))]));
}

/** The refusal of a batch by one of its items, with the pointers of the request. */
function refusedBatch(error: unknown): unknown {
  if (!isPawlError(error)) return error;
  const faults = error.faults.map((one) => ({
    in: 'body',
    ...one,
    pointer: `/jobs${one.pointer}`,
  }));
  const { code, message, details, cause } = error;
  return new PawlError(code, message, { faults, details: { ...details }, cause });
}

/** What makes a batch a graph: then it is accepted whole or not at all. */
function isGraph(jobs: readonly BatchJobJson[]): boolean {
  return jobs.some((job: BatchJobJson | null) => {
    return (job?.ref ?? job?.after ?? job?.onNeedFailed) !== undefined;
  });
}

/** All of them or none; a fault in one refuses them all. */
async function acceptAll(
  { engine }: Services,
  requests: readonly EnqueueRequest[],
  given: { caller: Caller; error: Error | undefined; jobs: readonly BatchJobJson[] },
): Promise<Item[]> {
  if (given.error !== undefined) {
    const [place] = [...faultyItems(given.error).keys()];
    if (isPawlError(given.error)) Object.assign(given.error.details, { index: place });
    throw given.error;
  }
  const { caller, jobs } = given;
  const accepted = isGraph(jobs)
    ? engine.flows.enqueueGraph(requests.map(itemsOf(jobs)), { caller })
    : engine.enqueue(requests, { caller, isWhole: true });
  return (await accepted.catch((error: unknown) => Promise.reject(refusedBatch(error)))).map(
    itemOf,
  );
}

function itemsOf(jobs: readonly BatchJobJson[]) {
  return (request: EnqueueRequest, index: number): GraphItem => {
    const { ref, after, onNeedFailed } = jobs[index]!;
    return {
      request,
      ...(ref === undefined ? {} : { ref }),
      ...(after === undefined ? {} : { after }),
      ...(onNeedFailed === undefined ? {} : { onNeedFailed }),
    };
  };
}

function acceptBatch(app: App, services: Services): void {
  app.post(
    '/v1/jobs/batch',
    {
      config: { keysMax: BATCH_KEYS_MAX },
      attachValidation: true,
      schema: {
        tags: ['Jobs'],
        operationId: 'acceptJobs',
        summary: 'Accept many jobs',
        description:
          'One result per item, in order: an invalid item is refused without affecting others. ' +
          'With `atomic` there is either a job for each item or none at all: the first that is ' +
          'refused refuses the request, with its own code and its `index`. An `Idempotency-Key` ' +
          'counts for each item together with its place in the list, unless the item has an ' +
          '`idempotencyKey` of its own. Items with `ref` and `after` are a graph: it is accepted ' +
          'whole or not at all, a circle is refused, and a job begins when those that it needs ' +
          'have ended.',
        headers: IDEMPOTENT_BY_KEY,
        body: BatchBody,
        response: { 200: closed({ results: Type.Array(BatchItemSchema) }) },
        errors: [
          'UNKNOWN_TYPE',
          'IDEMPOTENCY_CONFLICT',
          'ALREADY_EXISTS',
          'CONCURRENCY_CONFLICT',
          'QUEUE_OVERLOADED',
        ],
      },
    },
    async (request) => {
      const error = request.validationError ?? undefined;
      const faulty = faultyItems(error);
      const key = request.headers['idempotency-key'];
      const asked = request.body.jobs.flatMap((body, index) => {
        if (faulty.has(index)) return [];
        const byPlace = key === undefined ? undefined : `${key} #${index}`;
        const { idempotencyKey = byPlace } = body;
        return [requestOf(body, { request, idempotencyKey })];
      });
      const caller = callerOf(request);
      const { jobs, atomic = false } = request.body;
      if (atomic || isGraph(jobs)) {
        return { results: await acceptAll(services, asked, { caller, error, jobs }) };
      }
      const accepted = await services.engine.enqueue(asked, { caller });
      const answers = accepted.values();
      const results = request.body.jobs.map((_, index) => {
        const fault = faulty.get(index);
        return fault === undefined ? itemOf(answers.next().value!) : refusal(fault);
      });
      return { results };
    },
  );
}

/** `/v1/jobs/batch`: many jobs at once, each for itself. */
export const batch: Resource = routes(acceptBatch);
