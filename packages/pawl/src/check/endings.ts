import type { JobEvent } from '../core/event.ts';
import { isTerminal } from '../core/phase.ts';
import type { JobFacts, JobInvariant } from './invariant.ts';
import { COMPENSATION_FAILED, isAnnotation, sourceEpochsOf, type Trail } from './trail.ts';
import { at, type Finding, ofRow } from './violation.ts';

export const oneEnding: JobInvariant = {
  id: 'I5',
  sentence: 'a job ends at most once, and its result is that of the one accepted completion',
  check: (trail, facts) => [...checkEndings(trail), ...checkCompletions(trail, facts)],
};

function endingsOf({ events }: Trail): readonly JobEvent[] {
  return events.filter((event) => isTerminal(event.phase) && !isAnnotation(event));
}

function checkEndings(trail: Trail): readonly Finding[] {
  const [first, ...more] = endingsOf(trail);
  return more.map((event) =>
    at(event.version, `${event.type} ended the job again after ${first!.type}`),
  );
}

function checkCompletions(trail: Trail, { completions }: JobFacts): readonly Finding[] {
  const { job } = trail;
  const accepted = completions.filter(({ outcome }) => outcome === 'ok');
  const findings: Finding[] = [];
  if (accepted.length > 0 && job.phase !== 'succeeded') {
    findings.push(ofRow(`a completion was accepted, yet the job is ${job.phase}`));
  }
  if (job.phase !== 'succeeded' || completions.length === 0) return findings;
  const hop = trail.hops.find(({ event }) => event.phase === 'succeeded');
  const epochs = hop === undefined ? [] : sourceEpochsOf(hop);
  for (const { epoch, owner } of accepted) {
    if (epochs.length === 0 || epochs.includes(epoch)) continue;
    findings.push(
      ofRow(`the answer to ${owner} was that its completion of epoch ${epoch} counted`),
    );
  }
  const mayCount = completions.filter(
    ({ outcome, epoch }) => outcome !== 'fail' && (epochs.length === 0 || epochs.includes(epoch)),
  );
  if (mayCount.length > 0 && mayCount.every(({ result }) => result !== job.result)) {
    findings.push(ofRow('the stored result is not that of the accepted completion'));
  }
  if (accepted.some(({ result }) => result !== accepted[0]!.result)) {
    findings.push(ofRow('completions with different results were both accepted'));
  }
  return findings;
}

/** A second ending is I5's; this is about a job that came back to life. */
export const noReturn: JobInvariant = {
  id: 'I10',
  sentence: 'nothing leads out of a terminal state',
  check: ({ events }) => {
    const end = events.find((event) => isTerminal(event.phase));
    if (end === undefined) return [];
    return events
      .filter((event) => event.version > end.version && !isAllowedAfterEnd(event))
      .map((event) => at(event.version, `${event.type} came after ${end.type}`));
  },
};

function isAllowedAfterEnd(event: JobEvent): boolean {
  if (event.type === 'job_compensated' || event.type === 'job_erased') return true;
  if (event.cause === COMPENSATION_FAILED) return true;
  return isTerminal(event.phase) && !isAnnotation(event);
}
