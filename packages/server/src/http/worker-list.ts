import { workerIn } from 'pawl/internal/core/actor';
import { isSilent } from 'pawl/internal/core/figures';
import type { FastifyRequest } from 'fastify';
import { PawlError } from 'pawl/internal/core/errors';
import { briefJob } from 'pawl/internal/core/brief-error';
import type { Engine } from 'pawl/internal/engine/engine';
import type { WorkerRecord } from 'pawl/internal/records/workers';
import {
  type App,
  callerOf,
  credentialOf,
  ownerOf,
  type Services,
  type Resource,
  routes,
} from './services.ts';
import { sendPage } from './page.ts';
import { closed, nothing, PAGING, pageOf } from 'pawl/internal/contract/values';
import {
  OneWorkerSchema,
  SignAnswerSchema,
  WorkerBody,
  type WorkerJson,
  WorkerParams,
  WorkerSchema,
} from 'pawl/internal/contract/worker-sign';
import { IDEMPOTENT_BY_STATE } from 'pawl/internal/contract/headers';
import { timeText } from 'pawl/internal/contract/event-view';
import { HOME_TENANT } from 'pawl/internal/contract/credential';
import { offeredOf } from './remote-workers.ts';
import { requireHome } from './require-home.ts';
import { jobJson } from './view.ts';

/** So many of a worker's jobs are named. */
const LEASES_MAX = 100;

/** Hosts and pids of the platform's own workers are shown to the home tenant only. */
function placeOf({ tenant, host, pid }: WorkerRecord, request: FastifyRequest) {
  const isHidden = tenant === null && credentialOf(request).tenant !== HOME_TENANT;
  return isHidden ? { host: null, pid: null } : { host, pid };
}

function workerJson(worker: WorkerRecord, request: FastifyRequest, now: number): WorkerJson {
  const { id, version, types, slots, jobIds, startedAt, lastBeatAt, state } = worker;
  const { isDrainAsked, tenant, revisions } = worker;
  return {
    id: workerIn(id),
    ...placeOf(worker, request),
    version,
    types: [...types],
    ...(revisions === undefined ? {} : { revisions }),
    slots,
    busy: jobIds.length,
    leases: jobIds.slice(0, LEASES_MAX),
    startedAt: timeText(startedAt),
    lastBeatAt: timeText(lastBeatAt),
    state: isSilent(worker, now) ? 'silent' : state,
    isShared: tenant === null,
    isDrainAsked,
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
          'By id. A worker is listed from its first claim or its own `PUT`, is `silent` ' +
          'when it was not seen for 30 s, and is removed 5 minutes after it was last seen.',
        querystring: closed(PAGING),
        response: { 200: pageOf(WorkerSchema) },
      },
    },
    async (request, reply) => {
      const { cursor = '', limit = 50 } = request.query;
      const workers = await engine.workers(callerOf(request).tenant);
      const now = await engine.now();
      const later = workers.filter(({ id }) => id > cursor);
      const page = later.slice(0, limit);
      const items = page.map((worker) => workerJson(worker, request, now));
      return sendPage(reply, items, later.length > limit ? page.at(-1)!.id : null);
    },
  );
}

async function workerOf(
  engine: Engine,
  request: FastifyRequest,
  id: string,
): Promise<WorkerRecord> {
  const workers = await engine.workers(callerOf(request).tenant);
  const worker = workers.find((one) => workerIn(one.id) === id);
  if (worker !== undefined) return worker;
  const message = `there is no worker "${id}": it has left, or was not seen for 5 minutes`;
  throw new PawlError('NOT_FOUND', message);
}

function readWorker(app: App, { engine }: Services): void {
  app.get(
    '/v1/workers/:name',
    {
      schema: {
        tags: ['Queues'],
        operationId: 'readWorker',
        summary: 'One worker, with the jobs that it has in flight',
        params: WorkerParams,
        response: { 200: OneWorkerSchema },
        errors: ['NOT_FOUND'],
      },
    },
    async (request) => {
      const worker = await workerOf(engine, request, request.params.name);
      const { tenant } = callerOf(request);
      const ids = worker.jobIds.slice(0, LEASES_MAX);
      const found = await engine.find(ids.map((id) => ({ tenant, id })));
      const jobs = found.filter((job) => job !== null).map((job) => jobJson(briefJob(job)));
      return { ...workerJson(worker, request, await engine.now()), jobs };
    },
  );
}

function drainWorker(app: App, { engine }: Services): void {
  app.post(
    '/v1/workers/:name/drain',
    {
      schema: {
        tags: ['Queues'],
        operationId: 'drainWorker',
        summary: 'Ask a worker to finish its jobs and leave',
        description:
          'It hears of it with its next sign, within 10 s: it claims nothing more, its handlers ' +
          'have 30 s to finish, and what is left goes back to the queue without spending an ' +
          'attempt. A supervisor of its process may restart it. A worker that works for ' +
          'every tenant is drained by the tenant that runs the platform. A repeat: unchanged.',
        params: WorkerParams,
        headers: IDEMPOTENT_BY_STATE,
        body: closed({}),
        response: { 202: WorkerSchema },
        errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
      },
    },
    async (request, reply) => {
      const worker = await workerOf(engine, request, request.params.name);
      if (worker.tenant === null) requireHome(request);
      const isHeard = await engine.askToDrain(worker);
      if (isHeard === false) {
        const message =
          'this worker does not announce itself, so it would not hear of it: stop its process';
        throw new PawlError('ILLEGAL_TRANSITION', message);
      }
      const asked = { ...worker, isDrainAsked: true };
      return reply.code(202).send(workerJson(asked, request, await engine.now()));
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
        response: {
          200: SignAnswerSchema,
          204: nothing('Noted, and nothing is asked of it.'),
        },
      },
    },
    async (request, reply) => {
      const { types, host = null, pid = null, version = null, revisions } = request.body;
      const { slots = null, state = 'working' } = request.body;
      const { tenant } = callerOf(request);
      const id = ownerOf(request, request.params.name);
      const offered = offeredOf(revisions);
      const told = { host, pid, version, types, ...offered, slots, state, isAnnounced: true };
      const asked = await engine.announce([{ tenant, id, ...told }]);
      if (asked.length === 0) return reply.code(204).send();
      return reply.send({ isDrainAsked: true });
    },
  );
}

/** `/v1/workers`: who is there. */
export const workerList: Resource = routes(listWorkers, readWorker, drainWorker, putWorker);
