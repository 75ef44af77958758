import { Type } from 'typebox';
import { type App, callerOf, type Services, type Resource, routes } from './services.ts';
import { sendPage } from './page.ts';
import { fireJson, scheduleJson } from './schedule-view.ts';
import { scheduleRef } from './schedules.ts';
import { IDEMPOTENT_BY_KEY } from 'pawl/internal/contract/headers';
import {
  type FireJson,
  FireSchema,
  ScheduleParams,
  ScheduleSchema,
} from 'pawl/internal/contract/schedule';
import { timeOrNull } from 'pawl/internal/contract/event-view';
import { type FireEnd, fireEnds } from 'pawl/internal/engine/fire-ends';
import { etagOf, IfMatchByState, preconditionOf } from 'pawl/internal/contract/if-match';
import { scheduleTag } from 'pawl/internal/engine/schedules/schedules';
import { closed, pagedBy, pageOf } from 'pawl/internal/contract/values';
import { jobUrl } from './view.ts';

const tags = ['Schedules'];
const NO_BODY = closed({});

const SWITCHES = {
  pause: {
    summary: 'Stop firing',
    description: 'A paused schedule fires no slot, and does not fire it later. A repeat: 200.',
  },
  resume: {
    summary: 'Resume a schedule',
    description: 'With the first slot after now. A repeat: 200, unchanged.',
  },
} as const;

function switchSchedule(verb: 'pause' | 'resume'): (app: App, services: Services) => void {
  return (app, { engine }) =>
    app.post(
      `/v1/schedules/:name/${verb}`,
      {
        schema: {
          tags,
          operationId: `${verb}Schedule`,
          ...SWITCHES[verb],
          params: ScheduleParams,
          headers: IfMatchByState,
          body: NO_BODY,
          response: { 200: ScheduleSchema },
          errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
        },
      },
      async (request, reply) => {
        const ref = scheduleRef(request, request.params.name);
        const schedule = await engine.schedules[verb](ref, preconditionOf(request.headers));
        return reply.headers(etagOf(scheduleTag(schedule))).send(scheduleJson(schedule));
      },
    );
}

function runSchedule(app: App, { engine }: Services): void {
  app.post(
    '/v1/schedules/:name/run',
    {
      schema: {
        tags,
        operationId: 'runSchedule',
        summary: 'Make its job now',
        description:
          'Paused or not, and without touching its slots. With an `Idempotency-Key` a repeat ' +
          'within 24 h finds the job of the first time (200, `joined`).',
        params: ScheduleParams,
        headers: IDEMPOTENT_BY_KEY,
        body: NO_BODY,
        response: { 200: FireSchema, 202: FireSchema },
        errors: ['NOT_FOUND', 'UNKNOWN_TYPE', 'CONCURRENCY_CONFLICT'],
      },
    },
    async (request, reply) => {
      const ref = scheduleRef(request, request.params.name);
      const idempotencyKey = request.headers['idempotency-key'] ?? null;
      const fire = await engine.schedules.run(ref, callerOf(request), idempotencyKey);
      if (fire.jobId !== null) void reply.header('location', jobUrl(fire.jobId));
      return reply.code(fire.result === 'created' ? 202 : 200).send(fireJson(fire));
    },
  );
}

/** Null where there is no job, or it is no longer kept. */
function endJson(end: FireEnd | null): Required<FireJson>['job'] {
  return end === null ? null : { ...end, completedAt: timeOrNull(end.completedAt) };
}

function readHistory(app: App, { engine }: Services): void {
  app.get(
    '/v1/schedules/:name/history',
    {
      schema: {
        tags,
        operationId: 'readScheduleHistory',
        summary: 'Past slots, the latest first',
        description: '`job` is the state of the job of a slot; null: no longer stored.',
        params: ScheduleParams,
        querystring: closed(
          pagedBy(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
        ),
        response: { 200: pageOf(FireSchema) },
        errors: ['NOT_FOUND'],
      },
    },
    async (request, reply) => {
      const { cursor, limit = 50 } = request.query;
      const ref = scheduleRef(request, request.params.name);
      const before = cursor === undefined ? {} : { before: cursor };
      const found = await engine.schedules.history({ ...ref, limit: limit + 1, ...before });
      const fires = found.slice(0, limit);
      const ends = await fireEnds(engine, ref.tenant, fires);
      const items = fires.map((fire, n) => ({ ...fireJson(fire), job: endJson(ends[n]!) }));
      return sendPage(reply, items, found.length > limit ? String(items.at(-1)!.n) : null);
    },
  );
}

/** What schedules do: pause, go on, run, and tell what they did. */
export const scheduleRuns: Resource = routes(
  switchSchedule('pause'),
  switchSchedule('resume'),
  runSchedule,
  readHistory,
);
