import { Type } from 'typebox';
import { PawlError } from 'pawl/internal/core/errors';
import type { OperationPreview, OperationWish } from 'pawl/internal/engine/operations/operations';
import { OPERATION_ACTIONS, type OperationRecord } from 'pawl/internal/records/operations';
import { FAILURE_FILTER } from 'pawl/internal/contract/failure';
import { IDEMPOTENT_BY_STATE } from 'pawl/internal/contract/headers';
import {
  type OperationJson,
  OperationParams,
  type OperationPreviewJson,
  OperationPreviewSchema,
  OperationSchema,
} from 'pawl/internal/contract/operation';
import { closed, pagedBy, pageOf, text, Uuid } from 'pawl/internal/contract/values';
import { timeText } from 'pawl/internal/contract/event-view';
import { notEmpty } from './bulk.ts';
import { failureQueryOf } from './failures.ts';
import { JOB_FILTER } from './jobs.ts';
import { sendPage } from './page.ts';
import { type App, callerOf, refOf, type Services, type Resource, routes } from './services.ts';
import { jobJson } from './view.ts';

const { fingerprint, createdFrom, createdTo } = FAILURE_FILTER;
const OperationFilter = notEmpty({ ...JOB_FILTER, fingerprint, createdFrom, createdTo });

const OperationBody = closed({
  action: Type.Enum([...OPERATION_ACTIONS]),
  filter: OperationFilter,
  perSecond: Type.Optional(Type.Number({ minimum: 0.01, maximum: 10_000 })),
  reason: Type.Optional(text(512, 1)),
  dryRun: Type.Optional(
    Type.Boolean({ default: false, description: 'Counts and shows some jobs, and does nothing.' }),
  ),
});

function operationJson(operation: OperationRecord): OperationJson {
  const { tenant: _tenant, cursor: _cursor, passes: _passes, ...rest } = operation;
  return {
    ...rest,
    filter: filterJson(operation),
    createdAt: timeText(operation.createdAt),
    updatedAt: timeText(operation.updatedAt),
  };
}

/** In the words in which it was asked for. */
function filterJson({ filter }: OperationRecord): unknown {
  const stored = JSON.parse(filter) as Record<string, unknown>;
  const times = Object.entries(stored).map(([name, value]) =>
    typeof value === 'number' ? [name, timeText(value)] : [name, value],
  );
  return Object.fromEntries(times);
}

function previewJson({ count, isMore, sample }: OperationPreview): OperationPreviewJson {
  return { count, isMore, sample: sample.map((job) => jobJson(job)) };
}

const DESCRIPTION =
  '`rerun`: jobs that failed (or, with `phase`, ended so) and were neither run again nor ' +
  'replayed yet. `cancel`: jobs that have not ended. Only jobs that are there when it is asked ' +
  'for. It is stored and carried on by any process of the platform, also after a crash, at ' +
  '`perSecond` jobs a second. Ask with `dryRun` first: that counts, and changes nothing.';

function startOperation(app: App, { engine }: Services): void {
  app.post(
    '/v1/operations',
    {
      schema: {
        tags: ['Operations'],
        operationId: 'startOperation',
        summary: 'Do something to all jobs that a filter finds',
        description: DESCRIPTION,
        headers: IDEMPOTENT_BY_STATE,
        body: OperationBody,
        response: { 200: OperationPreviewSchema, 202: OperationSchema },
      },
    },
    async (request, reply) => {
      const { dryRun = false, filter, ...wish } = request.body;
      const caller = callerOf(request);
      if (wish.action === 'cancel' && filter.fingerprint !== undefined) {
        const message = 'is of jobs that have ended, which cannot be cancelled';
        const faults = [{ pointer: '/filter/fingerprint', message }];
        throw new PawlError('VALIDATION_ERROR', `fingerprint ${message}`, { faults });
      }
      const { tenant: _tenant, ...query } = failureQueryOf(caller.tenant, filter);
      const asked: OperationWish = { ...wish, filter: query };
      if (dryRun) return previewJson(await engine.operations.preview(asked, caller));
      const operation = await engine.operations.start(asked, caller);
      return reply
        .code(202)
        .header('location', `/v1/operations/${operation.id}`)
        .send(operationJson(operation));
    },
  );
}

function readOperations(app: App, { engine }: Services): void {
  app.get(
    '/v1/operations',
    {
      schema: {
        tags: ['Operations'],
        operationId: 'listOperations',
        summary: 'Operations on many jobs, with their progress',
        description: 'The newest first. Those that have ended are kept for 90 days.',
        querystring: closed(pagedBy(Uuid)),
        response: { 200: pageOf(OperationSchema) },
      },
    },
    async (request, reply) => {
      const { limit = 50, cursor } = request.query;
      const from = cursor === undefined ? {} : { cursor };
      const { tenant } = callerOf(request);
      const page = await engine.operations.list({ tenant, limit, ...from });
      return sendPage(reply, page.items.map(operationJson), page.nextCursor);
    },
  );
  app.get(
    '/v1/operations/:id',
    {
      schema: {
        tags: ['Operations'],
        operationId: 'readOperation',
        summary: 'One operation, with its progress',
        params: OperationParams,
        response: { 200: OperationSchema },
        errors: ['NOT_FOUND'],
      },
    },
    async (request) =>
      operationJson(await engine.operations.find(refOf(request, request.params.id))),
  );
}

function changeOperations(app: App, { engine }: Services): void {
  app.post(
    '/v1/operations/:id/stop',
    {
      schema: {
        tags: ['Operations'],
        operationId: 'stopOperation',
        summary: 'Stop an operation',
        description: 'Its changes so far remain. An operation that has ended is not changed.',
        params: OperationParams,
        headers: IDEMPOTENT_BY_STATE,
        response: { 200: OperationSchema },
        errors: ['NOT_FOUND'],
      },
    },
    async (request) =>
      operationJson(await engine.operations.stop(refOf(request, request.params.id))),
  );
  app.post(
    '/v1/operations/:id/undo',
    {
      schema: {
        tags: ['Operations'],
        operationId: 'undoOperation',
        summary: 'Undo an operation',
        description:
          'Stops it and cancels the jobs that it made and that have not started yet: `undone` ' +
          'and `begun` count both. Jobs that were cancelled stay so (409).',
        params: OperationParams,
        headers: IDEMPOTENT_BY_STATE,
        response: { 202: OperationSchema },
        errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
      },
    },
    async (request, reply) =>
      reply
        .code(202)
        .send(operationJson(await engine.operations.undo(refOf(request, request.params.id)))),
  );
}

/** `/v1/operations`: what is done to many jobs, and goes on by itself. */
export const bulkOperations: Resource = routes(startOperation, readOperations, changeOperations);
