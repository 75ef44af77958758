import { type Static, Type } from 'typebox';
import { briefJob } from 'pawl/internal/core/brief-error';
import { PawlError } from 'pawl/internal/core/errors';
import { type Phase } from 'pawl/internal/core/phase';
import type { Engine } from 'pawl/internal/engine/engine';
import type { CancelResult } from 'pawl/internal/engine/operate';
import { pawlErrorOf, problemOf } from './problem.ts';
import {
  actorOf,
  type App,
  callerOf,
  type Services,
  refOf,
  type Resource,
  routes,
} from './services.ts';
import { JOB_FILTER } from './jobs.ts';
import { CANCEL, CANCEL_TEXT } from './operations.ts';
import { IDEMPOTENT_BY_STATE } from 'pawl/internal/contract/headers';
import { JobSchema } from 'pawl/internal/contract/job';
import { ProblemSchema } from 'pawl/internal/contract/problem';
import { closed, Label, Name, Uuid } from 'pawl/internal/contract/values';
import { ReasonSchema } from 'pawl/internal/contract/worker';
import { jobJson } from './view.ts';

/** What one call works on; `hasMore` says that the filter would find more. */
export const ITEMS_MAX = 1_000;

export const Ids = Type.Array(Uuid, { minItems: 1, maxItems: ITEMS_MAX });

export function notEmpty<Members extends Record<string, ReturnType<typeof Type.Optional>>>(
  members: Members,
) {
  return Type.Object(members, { additionalProperties: false, minProperties: 1 });
}

const JobFilter = notEmpty(JOB_FILTER);

const LetterFilter = notEmpty({
  type: Type.Optional(Name),
  reasonCode: Type.Optional(ReasonSchema),
  fingerprint: Type.Optional(Label),
});

/** The outcome of many, item by item. */
export const RESULTS = {
  results: Type.Array(
    closed({
      id: Uuid,
      status: Type.Integer({ description: 'The status that the item alone would have had.' }),
      job: Type.Optional(JobSchema),
      error: Type.Optional(ProblemSchema),
    }),
  ),
  hasMore: Type.Boolean({ description: 'The filter matches more jobs: send the request again.' }),
};

const ResultsSchema = closed(RESULTS);

export type Item = Static<typeof ResultsSchema>['results'][number];

/** Which of the two was given, with each id once. */
export function idsOrFilter<Filter>(
  ids: readonly string[] | undefined,
  filter: Filter | undefined,
): { readonly ids: readonly string[] } | { readonly filter: Filter } {
  if (ids !== undefined && filter === undefined) return { ids: [...new Set(ids)] };
  if (ids === undefined && filter !== undefined) return { filter };
  const message = 'give either `ids` or `filter`';
  throw new PawlError('VALIDATION_ERROR', message, { faults: [{ pointer: '', message }] });
}

const UNFINISHED: readonly Phase[] = ['held', 'ready', 'leased', 'executing', 'waiting'];

async function unfinishedJobs(
  engine: Engine,
  tenant: string,
  filter: Static<typeof JobFilter>,
): Promise<{ ids: string[]; hasMore: boolean }> {
  const ids: string[] = [];
  for (const phase of filter.phase === undefined ? UNFINISHED : [filter.phase]) {
    const limit = ITEMS_MAX - ids.length;
    if (limit === 0) return { ids, hasMore: true };
    const page = await engine.jobs({ ...filter, tenant, phase, limit });
    ids.push(...page.jobs.map(({ id }) => id));
    if (page.hasMore) return { ids, hasMore: true };
  }
  return { ids, hasMore: false };
}

function cancelItem(id: string, result: CancelResult): Item {
  if (result.kind === 'refused') {
    return { id, status: result.error.status, error: problemOf(result.error) };
  }
  return { id, status: result.kind === 'done' ? 200 : 202, job: jobJson(briefJob(result.job)) };
}

function cancelJobs(app: App, { engine }: Services): void {
  app.post(
    '/v1/jobs/cancel',
    {
      schema: {
        tags: ['Operations'],
        operationId: 'cancelJobs',
        summary: 'Cancel many jobs',
        description: `Those named, or those that a filter finds and that live. ${CANCEL_TEXT}`,
        headers: IDEMPOTENT_BY_STATE,
        body: closed({ ...CANCEL, ids: Type.Optional(Ids), filter: Type.Optional(JobFilter) }),
        response: { 200: ResultsSchema },
      },
    },
    async (request) => {
      const { ids, filter, mode = 'soft', reason = null } = request.body;
      const asked = idsOrFilter(ids, filter);
      const { tenant } = callerOf(request);
      const found =
        'ids' in asked
          ? { ids: asked.ids, hasMore: false }
          : await unfinishedJobs(engine, tenant, asked.filter);
      const actor = actorOf(request);
      const results = await engine.cancel(
        found.ids.map((id) => ({ ref: refOf(request, id), actor, mode, reason })),
      );
      const items = results.map((result, index) => cancelItem(found.ids[index]!, result));
      return { results: items, hasMore: found.hasMore };
    },
  );
}

async function waitingLetters(
  engine: Engine,
  tenant: string,
  filter: Static<typeof LetterFilter>,
): Promise<{ ids: string[]; hasMore: boolean }> {
  const limit = ITEMS_MAX + 1;
  const letters = await engine.deadLetters({ ...filter, tenant, limit, isReplayed: false });
  const ids = letters.slice(0, ITEMS_MAX).map(({ id }) => id);
  return { ids, hasMore: letters.length > ITEMS_MAX };
}

const REPLAY_TEXT =
  'Each letter becomes one new job, linked to the dead one by `parentJobId`. A letter is ' +
  'replayed once: asking again answers with the job of the first time (200). `perSecond` ' +
  'spreads the new jobs over time by their `runAt`, so that what was too much once is not so ' +
  'again.';

function replayLetters(app: App, { engine }: Services): void {
  app.post(
    '/v1/dlq/replay',
    {
      schema: {
        tags: ['Dead letters'],
        operationId: 'replayDeadLetters',
        summary: 'Make new jobs from many dead letters',
        description: REPLAY_TEXT,
        headers: IDEMPOTENT_BY_STATE,
        body: closed({
          ids: Type.Optional(Ids),
          filter: Type.Optional(LetterFilter),
          perSecond: Type.Optional(Type.Number({ minimum: 0.01, maximum: 100_000 })),
        }),
        response: { 200: ResultsSchema },
      },
    },
    async (request) => {
      const { ids, filter, perSecond } = request.body;
      const asked = idsOrFilter(ids, filter);
      const caller = callerOf(request);
      const found =
        'ids' in asked
          ? { ids: asked.ids, hasMore: false }
          : await waitingLetters(engine, caller.tenant, asked.filter);
      const now = perSecond === undefined ? 0 : await engine.now();
      const results: Item[] = [];
      for (const [index, id] of found.ids.entries()) {
        const runAt = perSecond === undefined ? {} : { runAt: spread(now, index, perSecond) };
        results.push(await replayOne(engine, { deadLetterId: id, caller, ...runAt }));
      }
      return { results, hasMore: found.hasMore };
    },
  );
}

function spread(now: number, index: number, perSecond: number): number {
  return Math.round(now + (index * 1_000) / perSecond);
}

async function replayOne(engine: Engine, asked: Parameters<Engine['replay']>[0]): Promise<Item> {
  const id = asked.deadLetterId;
  try {
    const { kind, job } = await engine.replay(asked);
    return { id, status: kind === 'created' ? 202 : 200, job: jobJson(job) };
  } catch (error) {
    const known = pawlErrorOf(error);
    return { id, status: known.status, error: problemOf(known) };
  }
}

/** What is asked of many jobs at once. */
export const bulk: Resource = routes(cancelJobs, replayLetters);
