import { invalid } from '../../core/errors.ts';
import type { LimitKey, LimitPolicy, Rate } from '../../core/limits.ts';
import { SeededRandom } from '../../core/random.ts';
import { amountOf } from './amount.ts';
import { faultsOf } from './change-faults.ts';
import type { ConcurrencyRule, RecordedJob, RecordedWorker, Stretch } from './stretch.ts';

/** What is different in a what-if; what is left out stays as it was. */
export interface Changes {
  /** How many workers: `8`, `+3`, `-1` or `2x`. */
  readonly workers?: string;
  /** Slots of each worker, in the same words. */
  readonly slots?: string;
  /** How many times as many jobs arrive. */
  readonly load?: number;
  /** By queue or type: at most so many jobs at once; null for no bound. */
  readonly queueConcurrency?: Readonly<Record<string, number | null>>;
  readonly typeConcurrency?: Readonly<Record<string, number | null>>;
  /** By type: the most running jobs of one key; without `key` it stays the type's own. */
  readonly runningPerKey?: Readonly<Record<string, RunningChange>>;
  readonly rates?: Readonly<Record<string, RateChange>>;
  readonly priorities?: Readonly<Record<string, number>>;
}

export interface RunningChange {
  readonly max: number;
  readonly key?: LimitKey;
}

export interface RateChange {
  readonly perUser?: Rate | null;
  readonly perOrganisation?: Rate | null;
}

const SEED = 290;

/** The stretch as it would have been; VALIDATION_ERROR for changes that say nothing about it. */
export function changed(stretch: Stretch, changes: Changes): Stretch {
  const faults = faultsOf(stretch, changes);
  if (faults.length > 0) throw invalid(faults);
  const jobs = stretch.jobs.map((job) => changedJob(job, changes));
  return {
    ...stretch,
    jobs: changes.load === undefined ? jobs : multiplied(jobs, changes.load, stretch),
    workers: changedWorkers(stretch.workers, changes),
    rules: changedRules(stretch, changes),
  };
}

function changedJob(job: RecordedJob, changes: Changes): RecordedJob {
  const { type } = job;
  const priority = ownOf(changes.priorities, type) ?? job.priority;
  const running = ownOf(changes.runningPerKey, type);
  const rates = ownOf(changes.rates, type);
  if (running === undefined && rates === undefined) return { ...job, priority };
  const before: LimitPolicy = job.limits ?? NO_LIMITS;
  const key = running?.key ?? before.runningPerKey?.key ?? 'documentId';
  const runningPerKey = running === undefined ? before.runningPerKey : { max: running.max, key };
  const rate = { perUser: null, perOrganisation: null, ...before.rate, ...rates };
  return { ...job, priority, limits: { ...before, runningPerKey, rate } };
}

const NO_LIMITS: LimitPolicy = { activePerDocument: false, runningPerKey: null, rate: null };

function ownOf<Value>(
  values: Readonly<Record<string, Value>> | undefined,
  name: string,
): Value | undefined {
  return values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
}

/**
 * So many times as many arrivals, each beside one that there was, so that peaks stay peaks. What
 * was there before the stretch stays as it was.
 */
function multiplied(jobs: readonly RecordedJob[], load: number, { from }: Stretch): RecordedJob[] {
  const random = new SeededRandom(SEED);
  const owed = new Map<string, number>();
  const gaps = meanGaps(jobs, from);
  return jobs.flatMap((job) => {
    if (job.createdAt < from) return [job];
    const lane = JSON.stringify([job.tenant, job.queue, job.type]);
    const count = (owed.get(lane) ?? 0) + load;
    owed.set(lane, count % 1);
    return Array.from({ length: Math.floor(count) }, (_, copy) => {
      const laterMs = copy === 0 ? 0 : Math.floor(random.next() * gaps.get(lane)!);
      return copy === 0 ? job : moved(job, laterMs, copy);
    });
  });
}

/** The same job some time later. */
function moved(job: RecordedJob, ms: number, copy: number): RecordedJob {
  const later = <At extends number | null>(at: At): At => (at === null ? at : at + ms) as At;
  return {
    ...job,
    id: `${job.id}-${copy}`,
    createdAt: job.createdAt + ms,
    endedAt: later(job.endedAt),
    attempts: job.attempts.map((attempt) => ({
      ...attempt,
      dueAt: attempt.dueAt + ms,
      startedAt: later(attempt.startedAt),
      endedAt: later(attempt.endedAt),
    })),
  };
}

function meanGaps(jobs: readonly RecordedJob[], from: number): ReadonlyMap<string, number> {
  const lanes = Map.groupBy(
    jobs.filter(({ createdAt }) => createdAt >= from),
    ({ tenant, queue, type }) => JSON.stringify([tenant, queue, type]),
  );
  const gaps = new Map<string, number>();
  for (const [lane, own] of lanes) {
    let [first, last] = [Infinity, -Infinity];
    for (const { createdAt } of own) {
      first = Math.min(first, createdAt);
      last = Math.max(last, createdAt);
    }
    gaps.set(lane, (last - first) / own.length);
  }
  return gaps;
}

/** New workers are like those that there were, one after the other; the last ones go first. */
function changedWorkers(
  workers: readonly RecordedWorker[],
  { workers: amount, slots }: Changes,
): RecordedWorker[] {
  const count = amount === undefined ? workers.length : amountOf(amount, workers.length)!;
  return Array.from({ length: workers.length === 0 ? 0 : count }, (_, at) => {
    const like = workers[at % workers.length]!;
    const round = Math.floor(at / workers.length);
    const id = round === 0 ? like.id : `${like.id} (${round + 1})`;
    return { ...like, id, slots: slots === undefined ? like.slots : amountOf(slots, like.slots)! };
  });
}

function changedRules(
  { jobs, rules }: Stretch,
  { queueConcurrency = {}, typeConcurrency = {} }: Changes,
): ConcurrencyRule[] {
  const asked = [
    ...Object.entries(queueConcurrency).map(([name, max]) => ['queue', name, max] as const),
    ...Object.entries(typeConcurrency).map(([name, max]) => ['type', name, max] as const),
  ];
  const kept = rules.filter(
    (rule) => !asked.some(([scope, name]) => rule.scope === scope && rule.name === name),
  );
  const added = asked.flatMap(([scope, name, concurrency]) => {
    if (concurrency === null) return [];
    const tenants = new Set(jobs.filter((job) => job[scope] === name).map(({ tenant }) => tenant));
    return [...tenants].map((tenant) => ({ tenant, scope, name, concurrency }));
  });
  return [...kept, ...added];
}
