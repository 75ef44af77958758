import type { FailureDetail } from 'pawl/internal/engine/failure-detail';
import {
  type FailureDetailJson,
  FailureDetailSchema,
  FailureParams,
} from 'pawl/internal/contract/failure';
import { HOME_TENANT } from 'pawl/internal/contract/credential';
import { IDEMPOTENT_BY_STATE } from 'pawl/internal/contract/headers';
import { nothing } from 'pawl/internal/contract/values';
import { timeText } from 'pawl/internal/contract/event-view';
import { causeJson } from './failures.ts';
import { type App, callerOf, type Services, type Resource, routes } from './services.ts';
import { jobJson } from './view.ts';

function detailJson(detail: FailureDetail): FailureDetailJson {
  const { cause, queues, stages, versions, tenants, stack, counts, rerunnable, sample } = detail;
  return {
    cause: causeJson(cause),
    queues: [...queues],
    stages: [...stages],
    versions: { ...versions, names: [...versions.names] },
    tenants: tenants === null ? null : { ...tenants, names: [...tenants.names] },
    stack,
    counts: { ...counts, from: timeText(counts.from), counts: [...counts.counts] },
    rerunnable,
    sample: sample.map((job) => jobJson(job)),
  };
}

function readCause(app: App, { engine }: Services): void {
  app.get(
    '/v1/failures/:fingerprint',
    {
      schema: {
        tags: ['Failures'],
        operationId: 'readFailure',
        summary: 'One cause of failures: where, when and why',
        description: 'For the jobs that the list of causes reads.',
        params: FailureParams,
        response: { 200: FailureDetailSchema },
        errors: ['NOT_FOUND'],
      },
    },
    async (request) => {
      const { tenant } = callerOf(request);
      const { fingerprint } = request.params;
      const isOverTenants = tenant === HOME_TENANT;
      return detailJson(await engine.failureDetail({ tenant, fingerprint, isOverTenants }));
    },
  );
}

function ignoreCause(app: App, { engine }: Services): void {
  app.post(
    '/v1/failures/:fingerprint/ignore',
    {
      schema: {
        tags: ['Failures'],
        operationId: 'ignoreFailure',
        summary: 'Hide a cause until it comes again',
        description: 'Nothing happens to the jobs. A later failure of this cause shows it again.',
        params: FailureParams,
        headers: IDEMPOTENT_BY_STATE,
        response: { 204: nothing('Hidden.') },
      },
    },
    async (request, reply) => {
      const { tenant, principal } = callerOf(request);
      const { fingerprint } = request.params;
      await engine.ignoreCause(tenant, { fingerprint, by: principal });
      return reply.code(204).send();
    },
  );
  app.delete(
    '/v1/failures/:fingerprint/ignore',
    {
      schema: {
        tags: ['Failures'],
        operationId: 'heedFailure',
        summary: 'Show a cause again that is ignored',
        params: FailureParams,
        response: { 204: nothing('Shown.') },
      },
    },
    async (request, reply) => {
      await engine.heedCause(callerOf(request).tenant, request.params.fingerprint);
      return reply.code(204).send();
    },
  );
}

/** `/v1/failures/{fingerprint}`: one cause, and what is done about it. */
export const failure: Resource = routes(readCause, ignoreCause);
