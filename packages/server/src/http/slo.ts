import { Type } from 'typebox';
import { type SloReport, sloReports } from '../slo/report.ts';
import { cutPage, sendPage } from './page.ts';
import { type App, callerOf, type Services, type Resource, routes } from './services.ts';
import { type SloJson, SloSchema } from 'pawl/internal/contract/slo';
import { closed, Name, pagedBy, pageOf } from 'pawl/internal/contract/values';

const DESCRIPTION =
  'Percentiles and failure rates over rolling windows, by type, with the targets of the type ' +
  '(`slo` in its definition; `convert`, `export` and `ai` have some from the start; fewer than ' +
  '2 % failures is asked of all). Targets are for the last 7 days. Durations are of jobs that ' +
  'succeeded, from their start (for `first_token`: to the first generated text), and exact to ' +
  '2.5 %. A failure by fault of the user (a bad input, a spent quota) is `refused` and counts ' +
  'neither way. `burnRate` 1 spends the error budget exactly within the week; an alert fires ' +
  'while it burns too fast over a long and a short window alike.';

function jsonOf(report: SloReport): SloJson {
  return { ...report, windows: [...report.windows], alerts: [...report.alerts] };
}

function readSlo(app: App, { slo: deps }: Services): void {
  app.get(
    '/v1/slo',
    {
      schema: {
        tags: ['Operations'],
        operationId: 'readSlo',
        summary: 'SLOs: targets and what was measured',
        description: DESCRIPTION,
        querystring: closed({ type: Type.Optional(Name), ...pagedBy(Name) }),
        response: { 200: pageOf(SloSchema) },
      },
    },
    async (request, reply) => {
      const { tenant } = callerOf(request);
      const { type } = request.query;
      const asked = type === undefined ? { tenant } : { tenant, type };
      const reports = await sloReports(deps, asked);
      const { page, nextCursor } = cutPage(reports, request.query, { placeOf: (one) => one.type });
      return sendPage(reply, page.map(jsonOf), nextCursor);
    },
  );
}

/** `/v1/slo`. */
export const slo: Resource = routes(readSlo);
