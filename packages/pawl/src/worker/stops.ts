// Why a worker stops a handler.
import { JobStop } from '../handler/stop.ts';
import type { PawlError } from '../core/errors.ts';
import type { CancelWish } from '../core/job.ts';
import { isUndeclaredStage } from './unfit.ts';

export function leaseStop(message: string): JobStop {
  return new JobStop({ why: 'leaseLost', mode: null, message });
}

/** What an owner's write was refused for: its own fault, a hard cancel, or a lost job. */
export function refusalStop(error: PawlError): JobStop {
  const { message, details } = error;
  if (isUndeclaredStage(error)) return new JobStop({ why: 'refused', mode: null, message });
  if (details['phase'] !== 'cancelled') return leaseStop(message);
  return new JobStop({ why: 'cancelled', mode: 'hard', message: 'the job was cancelled' });
}

export function attemptTooLong(): JobStop {
  return new JobStop({ why: 'timedOut', mode: null, message: 'the attempt took too long' });
}

export function jobTooLong(): JobStop {
  const message = 'the deadline of the job has passed';
  return new JobStop({ why: 'deadline', mode: null, message });
}

export function closedStop(): JobStop {
  return new JobStop({ why: 'closed', mode: null, message: 'the attempt has ended' });
}

export function brokenStop(): JobStop {
  const message = 'the attempt has failed: its handler left an error uncaught';
  return new JobStop({ why: 'closed', mode: null, message });
}

export function softCancel({ mode, reason }: CancelWish): JobStop {
  return new JobStop({ why: 'cancelled', mode, message: reason ?? 'the job was cancelled' });
}

export function shutdownStop(): JobStop {
  return new JobStop({ why: 'shutdown', mode: null, message: 'the worker is stopping' });
}
