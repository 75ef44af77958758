import type { Ending } from '../engine/settle.ts';
import type { Outcome } from '../handler/execute.ts';
import type { JobStop } from '../handler/stop.ts';

/**
 * What is reported of a handler that has ended. What it did counts over what it was asked: a
 * result is a success even after a cancel, and its own failure is a failure also at shutdown.
 */
export function endingOf(
  outcome: Outcome,
  stop: JobStop | null,
  { mayResume }: { readonly mayResume: boolean },
): Ending | null {
  switch (outcome.kind) {
    case 'succeed':
      return { kind: 'succeed', result: outcome.result };
    case 'fail':
      return { kind: 'fail', error: outcome.error, deadLetter: outcome.deadLetter };
    case 'snooze':
    case 'advance':
      return { kind: outcome.kind, delayMs: outcome.delayMs };
    case 'stopped':
      return stop === null ? null : endingOfStop(stop, mayResume);
  }
}

function endingOfStop({ why, message }: JobStop, mayResume: boolean): Ending | null {
  switch (why) {
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'shutdown':
      return { kind: 'release' };
    case 'timedOut':
      if (mayResume) return { kind: 'release', cause: 'time_limit' };
      return { kind: 'fail', error: { class: 'timeout', message } };
    case 'deadline':
      return { kind: 'fail', error: { class: 'deadline_exceeded', message } };
    case 'refused':
      return { kind: 'fail', error: { class: 'configuration_error', message } };
    case 'leaseLost':
    case 'closed':
      return null;
  }
}
