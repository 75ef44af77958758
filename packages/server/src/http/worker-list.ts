import type { WorkerRecord } from 'pawl/internal/records/workers';
import { type App, callerOf, type Services, type Resource, routes } from './services.ts';
import { sendPage } from './page.ts';
import { closed, nothing, PAGING, pageOf } from 'pawl/internal/contract/values';
import {
  WorkerBody,
  type WorkerJson,
  WorkerParams,
  WorkerSchema,
} from 'pawl/internal/contract/worker-sign';
import { timeText } from 'pawl/internal/contract/event-view';

/** Three signs missed. */
const SILENT_MS = 30_000;

/** So many of a worker's jobs are named. */
const LEASES_MAX = 100;

function workerJson(worker: WorkerRecord, now: number): WorkerJson {
  const { id, host, pid, version, types, slots, jobIds, startedAt, lastBeatAt, state } = worker;
  return {
    id,
    host,
    pid,
    version,
    types: [...types],
    slots,
    busy: jobIds.length,
    leases: jobIds.slice(0, LEASES_MAX),
    startedAt: timeText(startedAt),
    lastBeatAt: timeText(lastBeatAt),
    state: now - lastBeatAt > SILENT_MS ? 'silent' : state,
  };
}

function listWorkers(app: App, { engine }: Services): void {
  app.get(
    '/v1/workers',
    {
      schema: {
        tags: ['Queues'],
        operationId: 'listWorkers',
        summary: 'Workers that take your jobs, and which they own',
        description:
          'By id. A worker comes to be listed with its first claim or its own `PUT`, is `silent` ' +
          'when it was not heard of for 30 s, and is gone 5 minutes after its last sign.',
        querystring: closed(PAGING),
        response: { 200: pageOf(WorkerSchema) },
      },
    },
    async (request, reply) => {
      const { cursor = '', limit = 50 } = request.query;
      const workers = await engine.workers(callerOf(request).tenant);
      const now = await engine.now();
      const later = workers.filter(({ id }) => id > cursor);
      const items = later.slice(0, limit).map((worker) => workerJson(worker, now));
      return sendPage(reply, items, later.length > limit ? items.at(-1)!.id : null);
    },
  );
}

function putWorker(app: App, { engine }: Services): void {
  app.put(
    '/v1/workers/:name',
    {
      schema: {
        tags: ['Worker protocol'],
        operationId: 'putWorker',
        summary: 'Say that a worker is there, and how it is',
        description:
          'For those who look: claims and heartbeats tell as much, but not the host, the slots, ' +
          'or that the worker is leaving. To be sent every 10 s. No job depends on it.',
        params: WorkerParams,
        body: WorkerBody,
        response: { 204: nothing('Noted.') },
      },
    },
    async (request, reply) => {
      const { types, host = null, pid = null, version = null } = request.body;
      const { slots = null, state = 'working' } = request.body;
      const { tenant } = callerOf(request);
      const told = { host, pid, version, types, slots, state, isAnnounced: true };
      await engine.announce([{ tenant, id: request.params.name, ...told }]);
      return reply.code(204).send();
    },
  );
}

/** `/v1/workers`: who is there. */
export const workerList: Resource = routes(listWorkers, putWorker);
