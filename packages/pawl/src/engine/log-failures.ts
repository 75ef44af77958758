import type { Step } from '../core/decision.ts';
import type { JobError } from '../core/job.ts';
import { traceText } from '../core/error-text.ts';
import { type EngineLog, silentLog } from './context.ts';
import type { Moved } from './observer.ts';

const BAD_ENDS: ReadonlySet<Step['to']['phase']> = new Set(['failed', 'dead']);

/** A line for each job that ended badly, with where its error came from. */
export function logFailures(log: EngineLog, moved: readonly Moved[]): void {
  if (log === silentLog) return;
  for (const { before, steps } of moved) {
    const end = steps.at(-1);
    if (end === undefined || !BAD_ENDS.has(end.to.phase)) continue;
    const { id: jobId, type } = before;
    const { attempts } = end;
    const facts = { jobId, type, state: end.to.state, attempts };
    log.warn('job failed', { ...facts, ...factsOf(end.error ?? before.error) });
  }
}

function factsOf(error: JobError | null): Readonly<Record<string, unknown>> {
  if (error === null) return {};
  const { class: errorClass, message, hint } = error;
  const trace = traceText(error);
  return {
    errorClass,
    error: message,
    ...(hint === undefined ? {} : { hint }),
    ...(trace === '' ? {} : { stack: trace }),
  };
}
