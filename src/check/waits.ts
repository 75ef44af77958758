import type { JobEvent } from '../core/event.ts';
import { isOwned } from '../core/phase.ts';
import type { JobInvariant } from './invariant.ts';
import { isAnnotation } from './trail.ts';
import { at, type Finding } from './violation.ts';

/** A job may be born behind a gate: then it is woken before anybody has claimed it. */
function isBirth({ type }: JobEvent): boolean {
  return type === 'job_created' || type === 'job_queued';
}

export const oneWake: JobInvariant = {
  id: 'W1',
  sentence:
    'a job is woken once for each time it was suspended or born behind a gate, in that epoch, ' +
    'and never while somebody owns it',
  check: ({ events }) => {
    let asleep: JobEvent | null = null;
    const findings: Finding[] = [];
    for (const event of events) {
      if (event.type === 'job_woken') {
        const why = wakeFault(asleep, event);
        if (why !== null) findings.push(at(event.version, `it was woken ${why}`));
        asleep = null;
      } else if (event.type === 'job_suspended' || isBirth(event)) asleep = event;
      else if (!isAnnotation(event)) asleep = null;
    }
    return findings;
  },
};

function wakeFault(asleep: JobEvent | null, woken: JobEvent): string | null {
  if (isOwned(woken.phase)) return 'while it was owned';
  if (asleep === null) return 'although it did not wait';
  if (asleep.epoch === woken.epoch) return null;
  return `in epoch ${woken.epoch}, and waited in epoch ${asleep.epoch}`;
}
