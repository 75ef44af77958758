import { Type } from 'typebox';
import {
  type FailureCause,
  FAILURES_SEEN_MAX,
  type FailureQuery,
} from 'pawl/internal/engine/failures';
import { type App, callerOf, type Services, type Resource, routes } from './services.ts';
import { jobShower, sendPage } from './page.ts';
import {
  FAILURE_FILTER,
  type FailureCauseJson,
  FailureCauseSchema,
  FailedJobCursor,
} from 'pawl/internal/contract/failure';
import { JobSchema } from 'pawl/internal/contract/job';
import { WITH_PAYLOADS } from 'pawl/internal/contract/payloads';
import { closed, cursorOf, pagedBy, pageOf } from 'pawl/internal/contract/values';
import { timeText } from 'pawl/internal/contract/event-view';

export function causeJson({ firstSeen, lastSeen, ...cause }: FailureCause): FailureCauseJson {
  return { ...cause, firstSeen: timeText(firstSeen), lastSeen: timeText(lastSeen) };
}

/** A filter in the API's words. */
interface FailureFilter extends Omit<FailureQuery, 'tenant' | 'createdFrom' | 'createdTo'> {
  readonly createdFrom?: string;
  readonly createdTo?: string;
}

export function failureQueryOf(
  tenant: string,
  { createdFrom, createdTo, ...rest }: FailureFilter,
): FailureQuery {
  return {
    ...rest,
    tenant,
    ...(createdFrom === undefined ? {} : { createdFrom: Date.parse(createdFrom) }),
    ...(createdTo === undefined ? {} : { createdTo: Date.parse(createdTo) }),
  };
}

const CauseCursor = cursorOf('^\\d{1,16}\\.\\w+$');

/** Causes are listed by when they were last seen, and alike ones by their fingerprint. */
function cursorAt({ lastSeen, fingerprint }: FailureCause): string {
  return `${lastSeen}.${fingerprint}`;
}

function isAfter(cause: FailureCause, cursor: string): boolean {
  const [seen, fingerprint = ''] = cursor.split('.');
  const { lastSeen } = cause;
  if (lastSeen !== Number(seen)) return lastSeen < Number(seen);
  return cause.fingerprint > fingerprint;
}

const IGNORED = {
  ignored: Type.Optional(
    Type.Enum(['leave', 'show'], {
      default: 'leave',
      description: 'Whether to list ignored causes as well.',
    }),
  ),
};

function listCauses(app: App, { engine }: Services): void {
  app.get(
    '/v1/failures',
    {
      schema: {
        tags: ['Failures'],
        operationId: 'listFailures',
        summary: 'Failed jobs, grouped by cause, the latest first',
        description:
          'With and without dead letters. Failures of one type, error class and code whose ' +
          'messages differ in nothing but ids, numbers and quotes have one cause. The newest ' +
          `${FAILURES_SEEN_MAX.toLocaleString('en')} failed and as many dead jobs are looked at.`,
        querystring: closed({ ...FAILURE_FILTER, ...IGNORED, ...pagedBy(CauseCursor) }),
        response: { 200: pageOf(FailureCauseSchema) },
      },
    },
    async (request, reply) => {
      const { limit = 50, cursor, ignored = 'leave', ...filter } = request.query;
      const query = failureQueryOf(callerOf(request).tenant, filter);
      const found = await engine.failures.causes(query);
      const all = found.filter(({ isIgnored }) => ignored === 'show' || !isIgnored);
      const rest = cursor === undefined ? all : all.filter((cause) => isAfter(cause, cursor));
      const page = rest.slice(0, limit);
      const nextCursor = rest.length > limit ? cursorAt(page.at(-1)!) : null;
      return sendPage(reply, page.map(causeJson), nextCursor);
    },
  );
}

function listFailedJobs(app: App, { engine }: Services): void {
  app.get(
    '/v1/failures/jobs',
    {
      schema: {
        tags: ['Failures'],
        operationId: 'listFailedJobs',
        summary: 'The failed jobs of a cause, or of any filter',
        description: 'Newest first; failed jobs before dead ones.',
        querystring: closed({ ...FAILURE_FILTER, ...WITH_PAYLOADS, ...pagedBy(FailedJobCursor) }),
        response: { 200: pageOf(JobSchema) },
      },
    },
    async (request, reply) => {
      const { limit = 50, cursor, payloads: _, ...filter } = request.query;
      const show = jobShower(request.query);
      const query = failureQueryOf(callerOf(request).tenant, filter);
      const from = cursor === undefined ? {} : { cursor };
      const page = await engine.failures.jobs(query, { limit, ...from });
      const items = page.jobs.map(show);
      return sendPage(reply, items, page.nextCursor);
    },
  );
}

/** `/v1/failures`: what ended badly, by cause. */
export const failures: Resource = routes(listCauses, listFailedJobs);
