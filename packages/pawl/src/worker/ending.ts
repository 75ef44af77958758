import type { Ending } from '../core/ending.ts';
import type { Outcome } from '../handler/execute.ts';
import type { JobStop } from '../handler/stop.ts';
import { failureOf } from '../handler/thrown-error.ts';

/**
 * What is reported of a handler that has ended. What it did counts over what it was asked: a
 * result is a success even after a cancel, and its own failure is a failure also at shutdown.
 */
export function endingOf(
  outcome: Outcome,
  stop: JobStop | null,
  { mayResume }: { readonly mayResume: boolean },
): Ending | null {
  if (outcome.kind !== 'stopped') return outcome;
  return stop === null ? null : endingOfStop(stop, mayResume);
}

/** Of a handler whose thread, process or first line there never was. */
export function notBegun(error: unknown): Outcome {
  const failure = failureOf(error, null);
  const message = `it could not begin: ${failure.message}`;
  const crash = { ...failure, class: 'handler_crashed', message };
  return { kind: 'fail', error: crash, deadLetter: null };
}

/** Ends that an error which nobody caught undoes, as long as nobody was told of them. */
const UNDONE: ReadonlySet<Ending['kind']> = new Set(['succeed', 'snooze', 'advance', 'suspend']);

export function canBeUndone({ kind }: Ending): boolean {
  return UNDONE.has(kind);
}

/** Of an attempt that has kept nothing. */
export const NO_PROGRESS = { mayResume: false };

export function undoneBy(broken: Outcome, ending: Ending): Ending {
  return canBeUndone(ending) ? (endingOf(broken, null, NO_PROGRESS) ?? ending) : ending;
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
    // The handler's own switch alone is turned so.
    case 'suspended':
      return null;
  }
}
