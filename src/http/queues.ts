import { byPhase, type Tally, TALLY_MAX } from '../store/tally.ts';
import type { Valve } from '../store/valve.ts';
import { actorOf, type App, callerOf, type Face, type Resource, routes } from './face.ts';
import { QueueBody, type QueueJson, QueueParams, QueueSchema } from './schema/queue.ts';
import { pageOf } from './schema/values.ts';
import { timeText } from './view.ts';

function queueJson(name: string, tallies: readonly Tally[], valve: Valve | undefined): QueueJson {
  const { phases, atLeast } = byPhase(tallies);
  const ready = tallies.filter(({ phase }) => phase === 'ready').map((one) => one.oldestRunAt);
  return {
    name,
    depth: phases['ready'] ?? 0,
    phases,
    atLeast,
    oldestReadyAt: ready.length === 0 ? null : timeText(Math.min(...ready)),
    types: [...new Set(tallies.map(({ type }) => type))].toSorted(),
    isPaused: valve?.isPaused ?? false,
    concurrency: valve?.concurrency ?? null,
    highWatermark: valve?.highWatermark ?? null,
    lowWatermark: valve?.lowWatermark ?? null,
    isShedding: valve?.isShedding ?? false,
    reason: valve?.reason ?? null,
  };
}

/** Queues that have jobs, and queues that have settings. */
async function queuesOf({ engine }: Face, tenant: string): Promise<QueueJson[]> {
  const [tallies, valves] = await Promise.all([engine.tally(tenant), engine.valves(tenant)]);
  const own = valves.filter(({ scope }) => scope === 'queue');
  const byName = Map.groupBy(tallies, ({ queue }) => queue);
  const names = new Set([...byName.keys(), ...own.map(({ name }) => name)]);
  return [...names].toSorted().map((name) => {
    const valve = own.find((one) => one.name === name);
    return queueJson(name, byName.get(name) ?? [], valve);
  });
}

function listQueues(app: App, face: Face): void {
  app.get(
    '/v1/queues',
    {
      schema: {
        tags: ['Queues'],
        operationId: 'listQueues',
        summary: 'Queues, their depth and their settings',
        description:
          'A queue comes to be with its first job and shows those that have not ended. Of jobs ' +
          `of one type that wait in it the first ${TALLY_MAX.toLocaleString('en')} are counted: ` +
          '`atLeast` names the phases of which there may be more.',
        response: { 200: pageOf(QueueSchema) },
      },
    },
    async (request) => ({
      items: await queuesOf(face, callerOf(request).tenant),
      nextCursor: null,
    }),
  );
}

function changeQueue(app: App, face: Face): void {
  app.patch(
    '/v1/queues/:name',
    {
      schema: {
        tags: ['Queues'],
        operationId: 'changeQueue',
        summary: 'Pause, resume or bound a queue',
        description:
          'What is left out stays as it is, null takes a bound away. Once a pause is answered, ' +
          'no claim is given a job of the queue. Above the high watermark new jobs get 503 ' +
          '`QUEUE_OVERLOADED` until the depth has fallen to the low one.',
        params: QueueParams,
        body: QueueBody,
        response: { 200: QueueSchema },
      },
    },
    async (request) => {
      const { tenant } = callerOf(request);
      const queue = request.params.name;
      const { paused, ...rest } = request.body;
      const settings = paused === undefined ? rest : { isPaused: paused, ...rest };
      const change = { actor: actorOf(request), settings };
      await face.engine.configureQueue({ tenant, queue }, change);
      return (await queuesOf(face, tenant)).find(({ name }) => name === queue)!;
    },
  );
}

/** `/v1/queues`. */
export const queues: Resource = routes(listQueues, changeQueue);
