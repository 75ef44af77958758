import type { FastifyRequest } from 'fastify';
import type { ScheduleRef } from 'pawl/internal/records/fires';
import { type App, callerOf, type Services, type Resource, routes } from './services.ts';
import { sendPage } from './page.ts';
import { definitionOf, scheduleJson } from './schedule-view.ts';
import { IDEMPOTENT_BY_STATE } from 'pawl/internal/contract/headers';
import { etagOf, IfMatch, IfMatchOrNone, preconditionOf } from 'pawl/internal/contract/if-match';
import { scheduleTag } from 'pawl/internal/engine/schedules/schedules';
import {
  NewScheduleBody,
  ScheduleBody,
  ScheduleParams,
  ScheduleSchema,
} from 'pawl/internal/contract/schedule';
import { closed, Name, nothing, pagedBy, pageOf } from 'pawl/internal/contract/values';

const tags = ['Schedules'];

/** A schedule of the caller's own. */
export function scheduleRef(request: FastifyRequest, name: string): ScheduleRef {
  return { tenant: callerOf(request).tenant, name };
}

function urlOf(name: string): string {
  return `/v1/schedules/${encodeURIComponent(name)}`;
}

function listSchedules(app: App, { engine }: Services): void {
  app.get(
    '/v1/schedules',
    {
      schema: {
        tags,
        operationId: 'listSchedules',
        summary: 'Schedules, by name, with their next runs',
        querystring: closed(pagedBy(Name)),
        response: { 200: pageOf(ScheduleSchema) },
      },
    },
    async (request, reply) => {
      const { cursor, limit = 50 } = request.query;
      const { tenant } = callerOf(request);
      const after = cursor === undefined ? {} : { after: cursor };
      const found = await engine.schedules.list({ tenant, limit: limit + 1, ...after });
      const items = found.slice(0, limit).map(scheduleJson);
      return sendPage(reply, items, found.length > limit ? items.at(-1)!.name : null);
    },
  );
}

function makeSchedule(app: App, { engine }: Services): void {
  app.post(
    '/v1/schedules',
    {
      schema: {
        tags,
        operationId: 'makeSchedule',
        summary: 'Make a schedule',
        description:
          'Its name is its own: where there is one of that name the answer is 409, unless it is ' +
          'the very same (200), so that the request can be repeated.',
        headers: IDEMPOTENT_BY_STATE,
        body: NewScheduleBody,
        response: { 200: ScheduleSchema, 201: ScheduleSchema },
        errors: ['ALREADY_EXISTS', 'UNKNOWN_TYPE'],
      },
    },
    async (request, reply) => {
      const { name, ...body } = request.body;
      const named = { name, caller: callerOf(request), isNew: true };
      const { kind, schedule } = await engine.schedules.put(named, definitionOf(body));
      return reply
        .code(kind === 'created' ? 201 : 200)
        .headers({ location: urlOf(name), ...etagOf(scheduleTag(schedule)) })
        .send(scheduleJson(schedule));
    },
  );
}

function putSchedule(app: App, { engine }: Services): void {
  app.put(
    '/v1/schedules/:name',
    {
      schema: {
        tags,
        operationId: 'putSchedule',
        summary: 'Make or change a schedule',
        description:
          'Under the same rule it keeps its position; a paused one stays paused. A cron ' +
          'expression is read in its time zone: a fixed time of day has one slot a day, also ' +
          'when the clock changes. Slots that were missed (the platform was down) are made up ' +
          'for as `missed` says: `once` by one job, `all` by one each, `skip` by none. Each slot ' +
          'makes one job, whatever number of processes run.',
        params: ScheduleParams,
        headers: IfMatchOrNone,
        body: ScheduleBody,
        response: { 200: ScheduleSchema, 201: ScheduleSchema },
        errors: ['UNKNOWN_TYPE', 'PRECONDITION_FAILED'],
      },
    },
    async (request, reply) => {
      const requires = preconditionOf(request.headers);
      const named = { name: request.params.name, caller: callerOf(request), requires };
      const { kind, schedule } = await engine.schedules.put(named, definitionOf(request.body));
      return reply
        .code(kind === 'created' ? 201 : 200)
        .headers(etagOf(scheduleTag(schedule)))
        .send(scheduleJson(schedule));
    },
  );
}

function readSchedule(app: App, { engine }: Services): void {
  app.get(
    '/v1/schedules/:name',
    {
      schema: {
        tags,
        operationId: 'readSchedule',
        summary: 'One schedule, with its next runs',
        params: ScheduleParams,
        response: { 200: ScheduleSchema },
        errors: ['NOT_FOUND'],
      },
    },
    async (request, reply) => {
      const schedule = await engine.schedules.get(scheduleRef(request, request.params.name));
      return reply.headers(etagOf(scheduleTag(schedule))).send(scheduleJson(schedule));
    },
  );
}

function removeSchedule(app: App, { engine }: Services): void {
  app.delete(
    '/v1/schedules/:name',
    {
      schema: {
        tags,
        operationId: 'removeSchedule',
        summary: 'Take a schedule and its history away',
        description: 'Jobs that it has created are not changed.',
        params: ScheduleParams,
        headers: IfMatch,
        response: { 204: nothing('It is gone.') },
        errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
      },
    },
    async (request, reply) => {
      const requires = preconditionOf(request.headers);
      await engine.schedules.remove(scheduleRef(request, request.params.name), requires);
      return reply.code(204).send();
    },
  );
}

/** `/v1/schedules`: rules that create jobs in time. */
export const schedules: Resource = routes(
  listSchedules,
  makeSchedule,
  putSchedule,
  readSchedule,
  removeSchedule,
);
