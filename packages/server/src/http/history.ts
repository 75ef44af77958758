import type { HistoryPoint, HistoryReport } from 'pawl/internal/engine/history/report';
import { HISTORY_COUNTS } from 'pawl/internal/core/history-count';
import { HISTORY_QUERY, type HistoryJson, HistorySchema } from 'pawl/internal/contract/history';
import { closed } from 'pawl/internal/contract/values';
import { timeText } from 'pawl/internal/contract/event-view';
import { readNear } from './replica-reads.ts';
import { type App, callerOf, type Services, type Resource, routes } from './services.ts';

const HOUR_MS = 3_600_000;

type Figures = (number | null)[];

function historyJson(report: HistoryReport): HistoryJson {
  const { points, stepMs, marks } = report;
  const column = (read: (point: HistoryPoint) => number | null): Figures => points.map(read);
  const counts = HISTORY_COUNTS.map((name) => [
    name,
    column(({ counts }) => counts?.[name] ?? null),
  ]);
  const orNull = (at: number | null): string | null => (at === null ? null : timeText(at));
  return {
    from: timeText(report.from),
    to: timeText(report.to),
    stepMs,
    since: orNull(report.since),
    readTo: orNull(report.readTo),
    times: points.map(({ at }) => timeText(at)),
    series: {
      ...(Object.fromEntries(counts) as Record<(typeof HISTORY_COUNTS)[number], Figures>),
      waitP50Ms: column(({ wait }) => wait.p50Ms),
      waitP95Ms: column(({ wait }) => wait.p95Ms),
      durationP50Ms: column(({ duration }) => duration.p50Ms),
      durationP95Ms: column(({ duration }) => duration.p95Ms),
      backlog: column(({ backlog }) => backlog),
      running: column(({ running }) => running),
      oldestMs: column(({ oldestMs }) => oldestMs),
    },
    marks: marks.map(({ at, version }) => ({ at: timeText(at), version })),
  };
}

const DESCRIPTION =
  'Of your own jobs: how many were enqueued, began and ended how, how long they waited and took, ' +
  'how many waited and ran, and when workers of another version came. By the minute for two ' +
  'days, by the hour for ninety; ranges that begin earlier are in hours. Counts are exact. ' +
  'Where one call moved more than 4 jobs, waits and durations are those of an even sample. ' +
  'Nothing is 0 that was not counted: what is not known is null.';

function readHistory(app: App, services: Services): void {
  app.get(
    '/v1/history',
    {
      schema: {
        tags: ['Operations'],
        operationId: 'readHistory',
        summary: 'What happened when',
        description: DESCRIPTION,
        querystring: closed(HISTORY_QUERY),
        response: { 200: HistorySchema },
      },
    },
    async (request, reply) => {
      const { from, to, step, ...lane } = request.query;
      const { tenant } = callerOf(request);
      const stepMs = step === undefined ? undefined : step * 1_000;
      const report = await readNear(services, { request, reply }, async (place) => {
        const end = to === undefined ? await place.now() : Date.parse(to);
        const begin = from === undefined ? end - HOUR_MS : Date.parse(from);
        return place.history({ tenant, from: begin, to: end, stepMs, ...lane });
      });
      return historyJson(report);
    },
  );
}

/** `/v1/history`. */
export const history: Resource = routes(readHistory);
