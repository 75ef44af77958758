import type { Ownership } from 'pawl/internal/engine/owner';
import type { Ending } from 'pawl/internal/core/ending';
import { type App, type Services, type Resource, routes } from './services.ts';
import { IDEMPOTENT_BY_STATE } from 'pawl/internal/contract/headers';
import { type JobJson, JobParams, JobSchema } from 'pawl/internal/contract/job';
import {
  CancelledBody,
  CompleteBody,
  FailBody,
  ReleaseBody,
  SnoozeBody,
} from 'pawl/internal/contract/worker';
import { jobJson } from './view.ts';
import { checkpointOf, heldBy, REPORT_LIMITS } from './workers.ts';

const REPEAT_TEXT = 'The same report again, with the same epoch: 200, unchanged.';

/** What all endings have in common. */
const ENDING = {
  tags: ['Worker protocol'],
  params: JobParams,
  headers: IDEMPOTENT_BY_STATE,
  response: { 200: JobSchema },
  errors: ['NOT_FOUND', 'LEASE_LOST', 'ILLEGAL_TRANSITION'],
} as const;

async function settle(services: Services, held: Ownership, ending: Ending): Promise<JobJson> {
  const [outcome] = await services.engine.settle([{ ...held, ending }]);
  if (outcome!.kind === 'refused') throw outcome!.error;
  return jobJson(await services.engine.job(held.ref));
}

function complete(app: App, services: Services): void {
  app.post(
    '/v1/jobs/:id/complete',
    {
      schema: {
        ...ENDING,
        operationId: 'completeJob',
        summary: 'The job succeeded',
        description:
          `Also wins over a pending cancel request. ${REPEAT_TEXT} ` +
          'With another result it is refused: the first one counts.',
        body: CompleteBody,
      },
    },
    async (request) => {
      const { result } = request.body;
      const held = heldBy(request, request.params.id, request.body);
      return settle(services, held, {
        kind: 'succeed',
        ...(result === undefined ? {} : { result: JSON.stringify(result) }),
      });
    },
  );
}

const FAIL_TEXT =
  'While attempts are left the job waits for its backoff and is tried again, unless the error is ' +
  'fatal: `error.retryable` says so, or, where it is left out or the lists of the type are ' +
  'fixed, the lists and the classes do; then the error has a `hint` that names the rule. ' +
  '`deadLetter` ends the job in the dead-letter queue with that reason, where its lifecycle has ' +
  'such an end.';

function fail(app: App, services: Services): void {
  app.post(
    '/v1/jobs/:id/fail',
    {
      ...REPORT_LIMITS,
      schema: {
        ...ENDING,
        operationId: 'failJob',
        summary: 'The attempt failed',
        description: `${FAIL_TEXT} ${REPEAT_TEXT}`,
        body: FailBody,
      },
    },
    async (request) => {
      const { error, deadLetter = null } = request.body;
      const held = heldBy(request, request.params.id, request.body);
      return settle(services, held, { kind: 'fail', error, deadLetter });
    },
  );
}

function snooze(app: App, services: Services): void {
  app.post(
    '/v1/jobs/:id/snooze',
    {
      ...REPORT_LIMITS,
      schema: {
        ...ENDING,
        operationId: 'snoozeJob',
        summary: 'Wait without spending an attempt',
        description: `For lifecycles that have it: process, task and distributed. ${REPEAT_TEXT}`,
        body: SnoozeBody,
      },
    },
    async (request) => {
      const { delayMs } = request.body;
      const held = heldBy(request, request.params.id, request.body);
      return settle(services, held, { kind: 'snooze', delayMs, ...checkpointOf(request.body) });
    },
  );
}

function release(app: App, services: Services): void {
  app.post(
    '/v1/jobs/:id/release',
    {
      schema: {
        ...ENDING,
        operationId: 'releaseJob',
        summary: 'Give the job back',
        description: `No attempt is spent. For workers that are shutting down. ${REPEAT_TEXT}`,
        body: ReleaseBody,
      },
    },
    async (request) => {
      const { cause } = request.body;
      const held = heldBy(request, request.params.id, request.body);
      return settle(services, held, { kind: 'release', ...(cause === undefined ? {} : { cause }) });
    },
  );
}

function honourCancel(app: App, services: Services): void {
  app.post(
    '/v1/jobs/:id/cancelled',
    {
      ...REPORT_LIMITS,
      schema: {
        ...ENDING,
        operationId: 'honourCancel',
        summary: 'Confirm a cancellation',
        description: `The owner reports that it has stopped after a cancel request. ${REPEAT_TEXT}`,
        body: CancelledBody,
      },
    },
    async (request) => {
      const held = heldBy(request, request.params.id, request.body);
      return settle(services, held, { kind: 'cancelled', ...checkpointOf(request.body) });
    },
  );
}

/** How an owner's turn ends, over HTTP. */
export const settling: Resource = routes(complete, fail, snooze, release, honourCancel);
