import { etagOf, IfMatch, preconditionOf } from 'pawl/internal/contract/if-match';
import { queueTag } from 'pawl/internal/engine/queues';
import type { QueueView } from 'pawl/internal/engine/queue-view';
import { TALLY_MAX } from 'pawl/internal/store/tally';
import { actorOf, type App, callerOf, type Services, type Resource, routes } from './services.ts';
import { QueueBody, type QueueJson, QueueParams, QueueSchema } from 'pawl/internal/contract/queue';
import { closed, Name, PAGE_DEFAULT, pagedBy, pageOf } from 'pawl/internal/contract/values';
import { pageBefore, sendPage } from './page.ts';
import { readNear } from './replica-reads.ts';
import { timeOrNull } from 'pawl/internal/contract/event-view';

function queueJson({ rule, phases, oldestReadyAt, ...view }: QueueView): QueueJson {
  return {
    name: view.name,
    depth: phases['ready'] ?? 0,
    phases,
    atLeast: [...view.atLeast],
    oldestReadyAt: timeOrNull(oldestReadyAt),
    types: [...view.types],
    isPaused: rule?.isPaused ?? false,
    pausedUntil: timeOrNull(rule?.pausedUntil ?? null),
    concurrency: rule?.concurrency ?? null,
    highWatermark: rule?.highWatermark ?? null,
    lowWatermark: rule?.lowWatermark ?? null,
    isShedding: rule?.isShedding ?? false,
    reason: rule?.reason ?? null,
  };
}

function listQueues(app: App, services: Services): void {
  app.get(
    '/v1/queues',
    {
      schema: {
        tags: ['Queues'],
        operationId: 'listQueues',
        summary: 'Queues by name, their depth and their settings',
        description:
          'A queue exists once its first job does, and shows jobs that have not ended. Of jobs ' +
          `of one type that wait in it the first ${TALLY_MAX.toLocaleString('en')} are counted: ` +
          '`atLeast` names the phases of which there may be more.',
        querystring: closed(pagedBy(Name)),
        response: { 200: pageOf(QueueSchema) },
      },
    },
    async (request, reply) => {
      const { limit = PAGE_DEFAULT, cursor } = request.query;
      const { tenant } = callerOf(request);
      const wanted = { after: cursor, limit: limit + 1 };
      const near = { request, reply };
      const found = await readNear(services, near, (from) => from.queues(tenant, wanted));
      const { page, nextCursor } = pageBefore(found, limit, ({ name }) => name);
      return sendPage(reply, page.map(queueJson), nextCursor);
    },
  );
}

function readQueue(app: App, { engine }: Services): void {
  app.get(
    '/v1/queues/:name',
    {
      schema: {
        tags: ['Queues'],
        operationId: 'readQueue',
        summary: 'One queue',
        description: 'A queue that has neither jobs nor settings is empty and has no limits.',
        params: QueueParams,
        response: { 200: QueueSchema },
      },
    },
    async (request, reply) => {
      const { tenant } = callerOf(request);
      const view = await engine.queue({ tenant, queue: request.params.name });
      return reply.headers(etagOf(queueTag(view.rule))).send(queueJson(view));
    },
  );
}

function changeQueue(app: App, { engine }: Services): void {
  app.patch(
    '/v1/queues/:name',
    {
      schema: {
        tags: ['Queues'],
        operationId: 'changeQueue',
        summary: 'Pause, resume or bound a queue',
        description:
          'What is left out stays as it is, null takes a bound away. Once a pause is answered, ' +
          'no claim is given a job of the queue. With `pausedUntil` or `pausedForMs` the pause ' +
          "ends at that time by the database's clock, whatever runs; a pause without them " +
          'replaces one that has an end. Above the high watermark new jobs get 503 ' +
          '`QUEUE_OVERLOADED` until the depth has fallen to the low one.',
        params: QueueParams,
        headers: IfMatch,
        body: QueueBody,
        response: { 200: QueueSchema },
        errors: ['PRECONDITION_FAILED'],
      },
    },
    async (request, reply) => {
      const { tenant } = callerOf(request);
      const queue = request.params.name;
      const { paused, pausedUntil, ...rest } = request.body;
      const until = pausedUntil === null ? null : Date.parse(pausedUntil ?? '');
      const settings = {
        ...(paused === undefined ? {} : { isPaused: paused }),
        ...(pausedUntil === undefined ? {} : { pausedUntil: until }),
        ...rest,
      };
      const requires = preconditionOf(request.headers);
      const change = { actor: actorOf(request), settings, requires };
      const rule = await engine.configureQueue({ tenant, queue }, change);
      const view = await engine.queue({ tenant, queue });
      return reply.headers(etagOf(queueTag(rule))).send(queueJson(view));
    },
  );
}

/** `/v1/queues`. */
export const queues: Resource = routes(listQueues, readQueue, changeQueue);
