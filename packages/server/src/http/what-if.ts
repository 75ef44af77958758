import { durationMs } from 'pawl/internal/core/duration';
import { systemTimers } from 'pawl/internal/core/timers';
import { IDEMPOTENT_BY_STATE } from 'pawl/internal/contract/headers';
import {
  WHAT_IF_JOBS_MAX,
  WhatIfBody,
  whatIfJson,
  WhatIfSchema,
} from 'pawl/internal/contract/what-if';
import { type App, callerOf, type Resource, routes, type Services } from './services.ts';

const HOUR_MS = durationMs('1h', '/lastMs');

function playWhatIf(app: App, { engine }: Services): void {
  app.post(
    '/v1/what-if',
    {
      schema: {
        tags: ['Operations'],
        operationId: 'playWhatIf',
        summary: 'What other workers, limits or priorities would have changed',
        description:
          'Plays a stretch of the log in virtual time, once as it was and once with the given ' +
          'changes, and answers with backlog, waiting times and latency of both beside what ' +
          'really happened. How far `replayed` is from `real` says how far to trust `whatIf`, ' +
          'which is null without changes. Nothing is changed. Of a stretch with more than ' +
          `${WHAT_IF_JOBS_MAX} jobs the command \`pawl what-if --direct\` plays more.`,
        headers: IDEMPOTENT_BY_STATE,
        body: WhatIfBody,
        response: { 200: WhatIfSchema },
        errors: ['LIMIT_EXCEEDED'],
      },
    },
    async (request) => {
      const { from, to, lastMs = HOUR_MS, ...changes } = request.body;
      const { tenant } = callerOf(request);
      const end = to === undefined ? await engine.now() : Date.parse(to);
      const report = await engine.whatIf({
        tenant,
        from: from === undefined ? end - lastMs : Date.parse(from),
        to: end,
        jobsMax: WHAT_IF_JOBS_MAX,
        changes,
        turn: () => systemTimers.turn!(),
      });
      return whatIfJson(report);
    },
  );
}

/** `/v1/what-if`. */
export const whatIf: Resource = routes(playWhatIf);
