import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PawlError } from 'pawl/internal/core/errors';
import type { Engine } from 'pawl/internal/engine/engine';
import { actorOf, callerOf } from './services.ts';

/** What is told of in the audit log, by operation. Keys, types and queues tell of themselves. */
const AUDITED: Readonly<Record<string, string>> = {
  cancelJobs: 'jobs.cancelled',
  rejectJob: 'job.rejected',
  deadLetterJob: 'job.dead_lettered',
  eraseJob: 'job.erased',
  rerunJob: 'job.rerun',
  rerunJobs: 'jobs.rerun',
  startOperation: 'operation.started',
  stopOperation: 'operation.stopped',
  undoOperation: 'operation.undone',
  ignoreFailure: 'failure.ignored',
  heedFailure: 'failure.heeded',
  replayDeadLetter: 'dead_letter.replayed',
  replayDeadLetters: 'dead_letters.replayed',
  makeSchedule: 'schedule.put',
  putSchedule: 'schedule.put',
  removeSchedule: 'schedule.removed',
  pauseSchedule: 'schedule.paused',
  resumeSchedule: 'schedule.resumed',
  runSchedule: 'schedule.run',
  drainWorker: 'worker.drain_asked',
  placeTenant: 'tenant.placed',
};

function subjectOf({ params, body, routeOptions }: FastifyRequest): string {
  const named = { ...(body as object), ...(params as object) } as Record<string, unknown>;
  const texts = ['id', 'name', 'tenant'].map((name) => named[name]);
  const found = texts.find((one) => typeof one === 'string');
  return found ?? routeOptions.url!;
}

/** Whoever did something to what is not theirs alone is named before the answer goes out. */
export function keepAudit(app: FastifyInstance, engine: Engine): void {
  app.addHook('onSend', async (request, reply) => {
    const action = AUDITED[request.routeOptions.schema?.operationId ?? ''];
    if (action === undefined || reply.statusCode >= 300) return;
    const { audit, ids } = engine;
    const { tenant } = callerOf(request);
    const entry = { tenant, id: ids.next(), actor: actorOf(request), action };
    const details = JSON.stringify({ requestId: request.id });
    try {
      await audit.add([{ ...entry, subject: subjectOf(request), details }]);
    } catch (cause) {
      const message = 'the change was made, but could not be written to the audit log';
      throw new PawlError('OUTCOME_UNKNOWN', message, { cause });
    }
  });
}
