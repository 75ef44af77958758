import type { Instant } from '../../core/clock.ts';
import { invalid, PawlError } from '../../core/errors.ts';
import type { EventType } from '../../core/event.ts';
import type { Job } from '../../core/job.ts';
import type { TailItem, TailQuery } from '../../store/query.ts';
import type { EngineContext } from '../context.ts';
import { attemptsIn, type Moment } from './attempts.ts';
import { fleetOf } from './fleet.ts';
import type { ConcurrencyRule, RecordedJob, Stretch } from './stretch.ts';
import type { Span } from './timeline.ts';

type Context = Pick<EngineContext, 'store' | 'records' | 'registry'>;

export interface StretchQuery extends Span {
  /** Null: of all tenants. */
  readonly tenant: string | null;
  readonly jobsMax: number;
}

const PAGE = 5_000;
const READ_PAGE = 1_000;
/** Entries of calls that overlap are not in the order of their times. */
const OVERLAP_MS = 60_000;

const EVENTS: readonly EventType[] = [
  'job_created',
  'job_queued',
  'job_claimed',
  'job_started',
  'job_retry_scheduled',
  'job_requeued',
  'job_snoozed',
  'job_woken',
  'job_succeeded',
  'job_failed',
  'job_cancelled',
  'job_dead_lettered',
];

/** What the log tells of a stretch of time that is over. */
export async function readStretch(context: Context, asked: StretchQuery): Promise<Stretch> {
  const query = { ...asked, ...(await spanOf(context, asked)) };
  const told = await momentsIn(context, query);
  const { jobs, missing } = await jobsOf(context, told, query);
  const rules = await rulesOf(context, query);
  const known = await context.records.workers.list(query.tenant);
  const fleet = fleetOf(jobs, known, query);
  const notes = notesOf({ ...fleet, ...rules, ...query, missing, asked });
  const { from, to } = query;
  return { from, to, jobs: fleet.jobs, workers: fleet.workers, rules: rules.rules, notes };
}

/** As much of a stretch as is over and still in the log. */
async function spanOf({ store }: Context, { from, to, tenant }: StretchQuery): Promise<Span> {
  if (to <= from) throw invalid([{ pointer: '/from', message: 'must lie before `to`' }]);
  const now = await store.now();
  const { since } = await store.past({ tenant: tenant ?? '', at: now });
  const span = { from: Math.max(from, since ?? now), to: Math.min(to, now) };
  if (span.from < span.to) return span;
  const message =
    since === null
      ? 'asks for time of which the log has nothing: no job was enqueued yet'
      : `asks for time of which the log has nothing: it begins at ${timeOf(since)}`;
  throw invalid([{ pointer: '/from', message }]);
}

function timeOf(at: Instant): string {
  return new Date(at).toISOString();
}

interface Told {
  readonly tenant: string;
  readonly id: string;
  readonly moments: Moment[];
}

/** Of each job what happened to it in the stretch, in the order of its versions. */
async function momentsIn({ store }: Context, query: StretchQuery): Promise<Told[]> {
  const { tenant, from, to, jobsMax } = query;
  const told = new Map<string, Told>();
  const only = { events: EVENTS };
  let next: TailQuery = { tenant, from: { at: from }, limit: PAGE, only, labels: false };
  for (;;) {
    const page = await store.tail(next);
    for (const item of page.items) {
      if (item.event.at >= from && item.event.at < to) keep(told, item);
    }
    if (told.size > jobsMax) throw tooMany(jobsMax);
    const isPast = page.items.some(({ event }) => event.at >= to + OVERLAP_MS);
    if (page.isReset || isPast || page.items.length === 0) return [...told.values()];
    next = { ...next, from: { cursor: page.cursor } };
  }
}

function tooMany(jobsMax: number): PawlError {
  const message = `the stretch has more than ${jobsMax} jobs: choose a shorter one`;
  return new PawlError('LIMIT_EXCEEDED', message);
}

function keep(told: Map<string, Told>, { event }: TailItem): void {
  const { tenant, jobId, at, type, phase, actor, payload } = event;
  const key = `${tenant}/${jobId}`;
  let job = told.get(key);
  if (job === undefined) told.set(key, (job = { tenant, id: jobId, moments: [] }));
  const delayMs = typeof payload?.['delayMs'] === 'number' ? payload['delayMs'] : 0;
  job.moments.push({ at, type: type as EventType, phase, actor, delayMs });
}

interface Found {
  readonly jobs: RecordedJob[];
  /** How many the store no longer has. */
  readonly missing: number;
}

async function jobsOf(
  { store, registry }: Context,
  told: readonly Told[],
  { from }: Span,
): Promise<Found> {
  const jobs: RecordedJob[] = [];
  for (let start = 0; start < told.length; start += READ_PAGE) {
    const page = told.slice(start, start + READ_PAGE);
    const rows = await store.read(page.map(({ tenant, id }) => ({ tenant, id })));
    const there = rows.filter((job) => job !== null);
    const numbers = [...new Set(there.map(({ policy }) => policy))];
    const policies = await registry.policies(numbers);
    const limits = new Map(numbers.map((number, at) => [number, policies[at]!.limits ?? null]));
    for (const [at, job] of rows.entries()) {
      if (job === null) continue;
      jobs.push(recorded(job, { moments: page[at]!.moments, limits, from }));
    }
  }
  return { jobs, missing: told.length - jobs.length };
}

interface Known {
  readonly moments: readonly Moment[];
  readonly limits: ReadonlyMap<number, RecordedJob['limits']>;
  readonly from: Instant;
}

function recorded(job: Job, { moments, limits, from }: Known): RecordedJob {
  const { tenant, id, type, queue, priority, createdAt } = job;
  const { correlationId, documentId, limitKey, requestedBy } = job;
  return {
    tenant,
    id,
    type,
    queue,
    priority,
    createdAt,
    labels: { correlationId, documentId, limitKey, requestedBy },
    limits: limits.get(job.policy)!,
    ...attemptsIn(moments, job, from),
  };
}

interface Rules {
  readonly rules: readonly ConcurrencyRule[];
  readonly paused: readonly string[];
}

/** The bounds of now: the log does not tell those of then. */
async function rulesOf({ store }: Context, { tenant }: StretchQuery): Promise<Rules> {
  const found = await store.rules(tenant);
  const rules = found.flatMap(({ tenant: of, scope, name, concurrency }) =>
    concurrency === null ? [] : [{ tenant: of, scope, name, concurrency }],
  );
  const paused = found.flatMap(({ scope, name, isPaused }) =>
    isPaused ? [`the ${scope} "${name}"`] : [],
  );
  return { rules, paused };
}

interface Noted extends Rules {
  readonly workers: Stretch['workers'];
  readonly missing: number;
  readonly tenant: string | null;
  readonly from: Instant;
  readonly asked: Span;
}

/** What the reader of a what-if has to know, in sentences. */
function notesOf({ workers, rules, paused, missing, tenant, from, asked }: Noted): string[] {
  const derived = workers.filter(({ isAnnounced }) => !isAnnounced).length;
  return [
    'Attempts take as long as they really took, however many run at once.',
    ...(from === asked.from ? [] : [`The log begins at ${timeOf(from)}, and so does this.`]),
    ...(derived === 0
      ? []
      : [
          `Of ${derived} of ${workers.length} workers the slots are those in use at once: these ` +
            'workers do not say how many they have, or are gone.',
        ]),
    ...(workers.length === 0 ? ['No worker was seen in the stretch: nothing is begun.'] : []),
    ...(rules.length === 0
      ? []
      : ['Bounds of queues and types are those of now: the log does not tell those of then.']),
    ...(paused.length === 0
      ? []
      : [`${paused.join(' and ')} is paused now; a what-if plays no pauses.`]),
    ...(missing === 0 ? [] : [`${missing} jobs are left out: retention has removed them.`]),
    ...(tenant === null
      ? []
      : ['Jobs of other tenants on the same workers are not seen, and not played.']),
  ];
}
