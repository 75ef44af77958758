import { type Static, Type } from 'typebox';
import type { PawlError } from '../core/errors.ts';
import { isPawlError } from '../core/errors.ts';
import type { EnqueueResult } from '../engine/enqueue.ts';
import { type App, callerOf, type Face, type Resource, routes } from './face.ts';
import { requestOf } from './jobs.ts';
import { problemOf } from './problem.ts';
import { BATCH_MAX, BatchBody } from './schema/enqueue.ts';
import { IDEMPOTENT_BY_KEY } from './schema/headers.ts';
import { BatchItemSchema } from './schema/problem.ts';
import { closed } from './schema/values.ts';
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

function acceptBatch(app: App, face: Face): void {
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
          'One result an item, in order: a bad item is refused by itself and spoils no other. ' +
          'An `Idempotency-Key` counts for each item together with its place in the list.',
        headers: IDEMPOTENT_BY_KEY,
        body: BatchBody,
        response: { 200: closed({ results: Type.Array(BatchItemSchema) }) },
      },
    },
    async (request) => {
      const faulty = faultyItems(request.validationError ?? undefined);
      const key = request.headers['idempotency-key'];
      const asked = request.body.jobs.flatMap((body, index) => {
        if (faulty.has(index)) return [];
        const idempotencyKey = key === undefined ? undefined : `${key} #${index}`;
        return [requestOf(body, { request, idempotencyKey })];
      });
      const accepted = await face.engine.enqueue(asked, { caller: callerOf(request) });
      const answers = accepted.values();
      const results = request.body.jobs.map((_, index) => {
        const error = faulty.get(index);
        return error === undefined ? itemOf(answers.next().value!) : refusal(error);
      });
      return { results };
    },
  );
}

/** `/v1/jobs/batch`: many jobs at once, each for itself. */
export const batch: Resource = routes(acceptBatch);
