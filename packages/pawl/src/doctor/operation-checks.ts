import type { Check } from './checks.ts';
import { FAILED_MAX, type Facts } from './facts.ts';
import type { Tally } from '../store/tally.ts';
import { found, good } from './finding.ts';

/** Sweeps come round every second: what is late by this is not being swept. */
const LATE_MS = 60_000;
const TAIL_LAG_MS_MAX = 60_000;
const FOLLOWER_LAG_SECONDS_MAX = 600;

function countOf({ count, isAtLeast }: Pick<Tally, 'count' | 'isAtLeast'>): string {
  return isAtLeast ? `at least ${count}` : String(count);
}

function sweeps({ tallies, expired, now }: Facts) {
  const lost = expired.filter(({ leaseExpiry }) => now - (leaseExpiry ?? now) > LATE_MS);
  const late = tallies.filter(
    ({ phase, oldestRunAt }) => phase === 'waiting' && now - oldestRunAt > LATE_MS,
  );
  if (lost.length + late.length === 0) return [good('nothing waits for a sweep')];
  const action = 'Start a process with the role sweeper, and read its log.';
  return [
    ...lost.map(({ id }) =>
      found(
        'fault',
        `the lease of job ${id} has expired, and no sweep has requeued the job`,
        action,
      ),
    ),
    ...late.map(({ type, ...tally }) =>
      found(
        'fault',
        `${countOf(tally)} jobs of type ${type} are due, and no sweep makes them ready`,
        action,
      ),
    ),
  ];
}

function unserved({ tallies, workers, rules }: Facts) {
  const served = new Set(workers.flatMap(({ types }) => types));
  const paused = new Set(
    rules.filter(({ isPaused }) => isPaused).map(({ scope, name }) => `${scope} ${name}`),
  );
  const waiting = tallies.filter(
    ({ phase, type, queue }) =>
      phase === 'ready' &&
      !served.has(type) &&
      !paused.has(`type ${type}`) &&
      !paused.has(`queue ${queue}`),
  );
  if (waiting.length === 0) return [good('every type with ready jobs has a worker')];
  return waiting.map(({ type, queue, ...tally }) =>
    found(
      'warning',
      `${countOf(tally)} jobs of type ${type} are ready in ${queue}, and no worker takes that type`,
      `Start a worker for ${type}, or cancel them: pawl jobs ls --type ${type} --phase ready`,
      { kind: 'type', name: type },
    ),
  );
}

function held({ rules }: Facts) {
  const closed = rules.filter(({ isPaused, isShedding, throttle }) =>
    [isPaused, isShedding, throttle !== null].some(Boolean),
  );
  if (closed.length === 0) return [good('no queue or type is paused, full or throttled')];
  return closed.map(({ scope, name, isPaused, pausedUntil, isShedding, reason, throttle }) => {
    const why = reason === null ? '' : `: ${reason}`;
    const about = { kind: scope, name };
    if (isPaused) {
      const end = pausedUntil === null ? '' : ` until ${new Date(pausedUntil).toISOString()}`;
      const message = `the ${scope} ${name} is paused${end}${why}`;
      return found('notice', message, `pawl queues resume ${name}`, { ...about, isPaused: true });
    }
    if (isShedding) {
      const action = 'Add workers, or raise its high watermark.';
      return found('warning', `the ${scope} ${name} is full and refuses jobs${why}`, action, about);
    }
    const message = `the type ${name} fails often and runs ${throttle?.ceiling} at once only`;
    return found('warning', message, `Look at its errors: pawl jobs ls --type ${name}`, about);
  });
}

function letters({ deadLetters }: Facts) {
  if (deadLetters.length === 0) return [good('there are no dead letters')];
  return deadLetters.map(({ type, count }) =>
    found(
      'notice',
      `${count} dead ${count === 1 ? 'letter' : 'letters'} of type ${type}`,
      `pawl dlq ls --type ${type}`,
      {
        kind: 'type',
        name: type,
      },
    ),
  );
}

function failures({ failed }: Facts) {
  if (failed.length === 0) return [good('no job failed without a dead letter')];
  const total = failed.reduce((sum, { count }) => sum + count, 0);
  return failed.map(({ type, count }) =>
    found(
      'notice',
      `${countOf({ count, isAtLeast: total >= FAILED_MAX })} jobs of type ${type} failed without ` +
        'a dead letter and were not run again',
      `See why: pawl failures --type ${type}. Then: pawl jobs rerun --type ${type}`,
      { kind: 'type', name: type },
    ),
  );
}

function followers(facts: Facts) {
  const troubled = facts.followers.filter(({ trouble }) => trouble !== null);
  const behind = facts.followers.filter(
    ({ trouble, lag }) => trouble === null && (lag?.seconds ?? 0) > FOLLOWER_LAG_SECONDS_MAX,
  );
  if (troubled.length + behind.length === 0)
    return [good('all followers of the log are up to date')];
  return [
    ...troubled.map(({ name, trouble }) =>
      found(
        'warning',
        `${name} cannot continue: ${trouble?.error}`,
        'Fix the cause: the follower retries automatically.',
      ),
    ),
    ...behind.map(({ name, lag }) => {
      const minutes = Math.round((lag?.seconds ?? 0) / 60);
      const action = 'Start a process that runs it, or remove it.';
      return found('warning', `${name} is ${minutes} minutes behind the log`, action);
    }),
  ];
}

function tail({ vitals: { tailLagMs }, figures: { server } }: Facts) {
  if (tailLagMs <= TAIL_LAG_MS_MAX) return [good('readers of the log are up to date')];
  const seconds = Math.round(tailLagMs / 1_000);
  const holder = server?.markHolder ?? null;
  const behind =
    holder === null
      ? `a write of ${seconds} s ago`
      : `${holder.name}, whose transaction began ${Math.round((holder.ms ?? 0) / 1_000)} s ago`;
  const message = `readers of the log wait behind ${behind}`;
  return [found('warning', message, 'See in pg_stat_activity what it does, and end it.')];
}

function orphans({ strays }: Facts) {
  if (strays.length === 0) return [good('every event belongs to a job')];
  const action = 'A row was removed by hand: restore it from a backup, or erase its events.';
  return strays.map(({ id }) =>
    found('fault', `there are events of job ${id}, but no row`, action),
  );
}

/** What can be wrong with the jobs and those who work on them. */
export const OPERATION_CHECKS: readonly Check[] = [
  { name: 'sweeps', run: sweeps },
  { name: 'workers', run: unserved },
  { name: 'held back', run: held },
  { name: 'dead letters', run: letters },
  { name: 'failures', run: failures },
  { name: 'followers', run: followers },
  { name: 'tail', run: tail },
  { name: 'orphans', run: orphans },
];
