import { isDeepStrictEqual } from 'node:util';
import type { Job } from '../core/job.ts';
import { placeName } from '../core/lifecycle.ts';
import { isOwned } from '../core/phase.ts';
import { type FoldedFacts, foldEvents } from './fold.ts';
import type { JobInvariant } from './invariant.ts';
import { isQuietlyReached } from './quiet.ts';
import type { Trail } from './trail.ts';
import { at, type Finding, ofRow } from './violation.ts';

export const foldAgrees: JobInvariant = {
  id: 'I8',
  sentence: 'versions are exactly 1 to n, one event each, and folding the events gives the row',
  check: (trail) => (trail.isGapless ? checkRow(trail) : checkVersions(trail)),
};

function checkVersions({ job, events }: Trail): readonly Finding[] {
  const findings: Finding[] = [];
  let wanted = 1;
  for (const { version, type } of events) {
    if (version < wanted) findings.push(at(version, `${type} repeats version ${version}`));
    if (version > wanted) findings.push(at(version, `before ${type}: no event ${wanted}`));
    wanted = version + 1;
  }
  if (wanted - 1 !== job.version) {
    findings.push(ofRow(`the row is at version ${job.version}, the log ends at ${wanted - 1}`));
  }
  return findings;
}

/** Equal at all times; the others may run ahead of the last event. */
const KEPT = [
  'version',
  'retryCount',
  'backoffMs',
  'error',
  'createdAt',
  'startedAt',
  'completedAt',
] as const;

function checkRow({ job, lifecycle, events }: Trail): readonly Finding[] {
  const folded = foldEvents(job, events);
  if (folded === null) return [];
  const isAhead = job.epoch !== folded.epoch || job.phase !== folded.phase;
  const hasQuietRows = lifecycle.transitions.some((row) => row.quiet);
  if (isAhead && !(hasQuietRows && isQuietlyReached(lifecycle, folded, job))) {
    const where = `${placeName(job)} of epoch ${job.epoch}`;
    return [
      ofRow(`the row is in ${where}, the log ends in ${placeName(folded)} of ${folded.epoch}`),
    ];
  }
  const isSettled = !isAhead && !isOwned(job.phase);
  const differing = [
    ...KEPT.filter((name) => !isDeepStrictEqual(job[name], folded[name])),
    ...(job.state === folded.state ? [] : ['state' as const]),
    ...(job.attempts === attemptsAfter(folded, isAhead) ? [] : ['attempts' as const]),
    ...movingFacts(job, folded, isSettled),
  ];
  return differing.map((name) => ofRow(describe(job, folded, name)));
}

function attemptsAfter(folded: FoldedFacts, isAhead: boolean): number {
  return isAhead ? Math.max(1, folded.attempts) : folded.attempts;
}

/** Renewals change these without an event, but only while somebody owns the job. */
function movingFacts(
  job: Job,
  folded: FoldedFacts,
  isSettled: boolean,
): readonly ('progress' | 'stage' | 'message' | 'updatedAt' | 'isCancelWished')[] {
  const isCancelWished = job.cancel !== null;
  return [
    ...((isSettled ? job.progress === folded.progress : job.progress >= folded.progress)
      ? []
      : ['progress' as const]),
    ...(isSettled && job.stage !== folded.stage ? ['stage' as const] : []),
    ...(isSettled && job.message !== folded.message ? ['message' as const] : []),
    ...(job.updatedAt >= folded.updatedAt ? [] : ['updatedAt' as const]),
    // A wish on an ended job is a fault of the row, which S2 reports.
    ...(job.completedAt !== null || isCancelWished === folded.isCancelWished
      ? []
      : ['isCancelWished' as const]),
  ];
}

function describe(job: Job, folded: FoldedFacts, name: keyof FoldedFacts): string {
  const stored = name === 'isCancelWished' ? job.cancel !== null : job[name];
  const told = JSON.stringify(folded[name]);
  return `${name} is ${JSON.stringify(stored)} in the row, ${told} by the log`;
}
