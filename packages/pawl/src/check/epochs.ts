import { placeName, samePlace } from '../core/lifecycle.ts';
import { isTerminal, rankOf } from '../core/phase.ts';
import type { JobInvariant } from './invariant.ts';
import { isQuietlyReached } from './quiet.ts';
import { grantsRetry, type Hop, isAnnotation, standingOf, type Trail } from './trail.ts';
import { at, type Finding } from './violation.ts';

export const epochs: JobInvariant = {
  id: 'I3',
  sentence:
    '(epoch, phase) strictly increases in version order, each epoch is claimed at most once, ' +
    'and attempts and retries are counted without a gap',
  check: (trail) => [
    ...trail.hops.flatMap(checkPair),
    ...checkAnnotations(trail),
    ...checkClaims(trail),
    ...trail.hops.flatMap(checkCounters),
  ],
};

/** What comes after the end is I5's and I10's to report. */
function checkPair({ before, event, rows, timelyRows }: Hop): readonly Finding[] {
  if (isTerminal(before.phase)) return [];
  const rises =
    event.epoch > before.epoch ||
    (event.epoch === before.epoch && rankOf(event.phase) > rankOf(before.phase));
  const pairs = `(${before.epoch}, ${before.phase}) to (${event.epoch}, ${event.phase})`;
  if (!rises) return [at(event.version, `the pair went from ${pairs}`)];
  if (rows.length === 0 || timelyRows.length > 0) return [];
  return [at(event.version, `no listed row takes the pair from ${pairs}`)];
}

function checkAnnotations({ lifecycle, events }: Trail): readonly Finding[] {
  return events.flatMap((event, index) => {
    const before = events[index - 1];
    if (!isAnnotation(event) || before === undefined || before.version + 1 !== event.version) {
      return [];
    }
    const [from, to] = [standingOf(before), standingOf(event)];
    // An annotation in another place is a wrong move, which L1 reports.
    const isElsewhere = !samePlace(from, to) && from.epoch === to.epoch;
    if (isElsewhere || isQuietlyReached(lifecycle, from, to)) return [];
    const message = `${event.type} changed the epoch from ${from.epoch} to ${to.epoch}`;
    return [at(event.version, `${message} at ${placeName(to)}`)];
  });
}

function checkClaims({ events }: Trail): readonly Finding[] {
  const claimed = new Set<number>();
  return events.flatMap(({ type, epoch, version }) => {
    if (type !== 'job_claimed') return [];
    if (claimed.has(epoch)) return [at(version, `epoch ${epoch} was claimed a second time`)];
    claimed.add(epoch);
    return [];
  });
}

function checkCounters(hop: Hop): readonly Finding[] {
  const { before, event, rows } = hop;
  if (rows.length === 0) return [];
  const wasClaimedQuietly = rows.every(
    (row) => !samePlace(row.from, { state: before.to, phase: before.phase }),
  );
  const isClaimed = event.type === 'job_claimed' || wasClaimedQuietly;
  const counted = isClaimed ? Math.max(1, before.attempt) : before.attempt;
  const attempts = counted + (grantsRetry(hop) ? 1 : 0);
  const retries = rows.map((row) => before.retryCount + (row.countsRetry ? 1 : 0));
  const findings: Finding[] = [];
  if (event.attempt !== attempts) {
    const message = `attempts went from ${before.attempt} to ${event.attempt}, not ${attempts}`;
    findings.push(at(event.version, `${message}, with ${event.type}`));
  }
  if (!retries.includes(event.retryCount)) {
    const message = `retries went from ${before.retryCount} to ${event.retryCount}`;
    findings.push(at(event.version, `${message} with ${event.type}`));
  }
  return findings;
}
