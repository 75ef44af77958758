import type { Instant } from '../../core/clock.ts';
import { invalid } from '../../core/errors.ts';
import { HISTORY_COUNTS, type HistoryCountName } from '../../core/history-count.ts';
import type { BacklogLook } from '../../records/backlog-history.ts';
import type { DeployMark } from '../../records/deploys.ts';
import type { HistoryProgress } from '../../records/history.ts';
import {
  GRAIN_MS,
  grainStart,
  HISTORY_KEPT_MS,
  type HistoryGrain,
  type HistoryRow,
} from '../../records/history-time.ts';
import type { EngineContext } from '../context.ts';
import { type Members, type Quantiles, quantilesOf } from './members.ts';

export interface HistoryRequest {
  readonly tenant: string;
  readonly from: Instant;
  /** Default: now. */
  readonly to?: Instant | undefined;
  readonly stepMs?: number | undefined;
  readonly type?: string | undefined;
  readonly queue?: string | undefined;
}

/** One stretch of time. What is not known is null: no figure is 0 unless it was counted. */
export interface HistoryPoint {
  readonly at: Instant;
  readonly counts: Readonly<Record<HistoryCountName, number>> | null;
  readonly wait: Quantiles;
  readonly duration: Quantiles;
  /** The mean over the looks of that time. */
  readonly backlog: number | null;
  readonly running: number | null;
  /** The highest age that was seen; null where nothing waited or nobody looked. */
  readonly oldestMs: number | null;
}

export interface HistoryReport {
  readonly from: Instant;
  readonly to: Instant;
  readonly stepMs: number;
  /** From when on there are figures; null where nothing was counted yet. */
  readonly since: Instant | null;
  /** Up to when the log is counted: figures after that are not known yet. */
  readonly readTo: Instant | null;
  readonly points: readonly HistoryPoint[];
  readonly marks: readonly DeployMark[];
}

export const HISTORY_POINTS_MAX = 2_000;
const POINTS = 120;

type Context = Pick<EngineContext, 'store' | 'records'>;

export async function historyOf(
  { store, records }: Context,
  request: HistoryRequest,
): Promise<HistoryReport> {
  const now = await store.now();
  const plan = planOf(request, now);
  const { tenant, type, queue } = request;
  const { grain, from, to, stepMs } = plan;
  const query = { tenant, grain, from, to, type, queue };
  const { history } = records;
  const [progress, counts, backlog, looks, marks] = await Promise.all([
    history.progress(),
    history.counts(query),
    history.backlog.list(query),
    history.backlog.looks(query),
    history.deploys.list(tenant, { from, to }),
  ]);
  const known = progress === null ? null : sinceOf(progress, grain, now);
  const slots = Array.from({ length: Math.ceil((to - from) / stepMs) }, (_, index) => index);
  const slotOf = ({ at }: { at: Instant }): number => Math.floor((at - from) / stepMs);
  const [countsIn, backlogIn, looksIn] = [
    Map.groupBy(counts, slotOf),
    Map.groupBy(backlog, slotOf),
    Map.groupBy(looks, slotOf),
  ];
  const points = slots.map((slot) => {
    const at = from + slot * stepMs;
    const isKnown = known !== null && isCovered(known, progress!, { at, to: at + stepMs });
    const members = isKnown ? summed(countsIn.get(slot) ?? []) : null;
    const looked = (looksIn.get(slot) ?? []).reduce((sum, { body }) => sum + body.looks, 0);
    return pointOf(at, members, lookOf(backlogIn.get(slot) ?? [], looked));
  });
  return { from, to, stepMs, since: known, readTo: progress?.readTo ?? null, points, marks };
}

interface Plan {
  readonly grain: HistoryGrain;
  readonly from: Instant;
  readonly to: Instant;
  readonly stepMs: number;
}

/** Minutes are kept for two days: a range that begins before, or has long steps, is of hours. */
function planOf(request: HistoryRequest, now: Instant): Plan {
  const { to = now } = request;
  const spanMs = to - request.from;
  if (spanMs <= 0) throw invalid([{ pointer: '/from', message: 'must lie before `to`' }]);
  const asked = request.stepMs ?? spanMs / POINTS;
  const isOld = request.from < now - HISTORY_KEPT_MS.minute;
  const grain = isOld || asked >= GRAIN_MS.hour ? 'hour' : 'minute';
  const unit = GRAIN_MS[grain];
  const stepMs = Math.max(1, Math.ceil(asked / unit)) * unit;
  const from = grainStart(request.from, grain);
  if ((to - from) / stepMs > HISTORY_POINTS_MAX) {
    const message = `must be longer: at most ${HISTORY_POINTS_MAX} steps are reported at once`;
    throw invalid([{ pointer: '/step', message }]);
  }
  return { grain, from, to, stepMs };
}

/** The start of the first minute or hour of which there are figures. */
function sinceOf({ since }: HistoryProgress, grain: HistoryGrain, now: Instant): Instant {
  return Math.max(grainStart(since, grain), grainStart(now - HISTORY_KEPT_MS[grain], grain));
}

function isCovered(
  since: Instant,
  { readTo, gaps }: HistoryProgress,
  { at, to }: { at: Instant; to: Instant },
): boolean {
  const isInGap = gaps.some((gap) => gap.from < to && at < gap.to);
  return to > since && at <= readTo && !isInGap;
}

function summed(rows: readonly HistoryRow<Readonly<Members>>[]): Members {
  const sum: Members = {};
  for (const { body } of rows) {
    for (const [name, count] of Object.entries(body)) sum[name] = (sum[name] ?? 0) + count;
  }
  return sum;
}

function lookOf(rows: readonly HistoryRow<BacklogLook>[], looks: number) {
  if (looks === 0) return { backlog: null, running: null, oldestMs: null };
  const mean = (read: (look: BacklogLook) => number): number =>
    Math.round(rows.reduce((sum, { body }) => sum + read(body), 0) / looks);
  const ages = rows.flatMap(({ body }) => (body.oldestMs === null ? [] : [body.oldestMs]));
  return {
    backlog: mean(({ backlog }) => backlog),
    running: mean(({ running }) => running),
    oldestMs: ages.length === 0 ? null : Math.max(...ages),
  };
}

function pointOf(
  at: Instant,
  members: Members | null,
  look: Pick<HistoryPoint, 'backlog' | 'running' | 'oldestMs'>,
): HistoryPoint {
  const counts =
    members === null
      ? null
      : (Object.fromEntries(
          HISTORY_COUNTS.map((name) => [name, members[name] ?? 0]),
        ) as HistoryPoint['counts']);
  const wait = quantilesOf(members ?? {}, 'w');
  return { at, counts, wait, duration: quantilesOf(members ?? {}, 'd'), ...look };
}
