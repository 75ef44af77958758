import { isPawlError, type PawlError } from '../core/errors.ts';
import type { FlowAnswer, FlowCall } from '../core/flow.ts';
import type { Timers } from '../core/timers.ts';
import type { Ownership } from '../engine/owner.ts';
import { fail, type JobFailure } from '../handler/failure.ts';
import type { JobStop } from '../handler/stop.ts';
import type { JobSource } from '../engine/source.ts';

/** What a handler's waits are asked of. */
export interface FlowAccess {
  readonly source: Pick<JobSource, 'flow'>;
  readonly timers: Timers;
}

export interface FlowHolder {
  /** Throws once the job is not this attempt's any more. */
  readonly held: () => Ownership;
  /** The platform says that the job is not this worker's: stops the handler, and says with what. */
  readonly onLost: (error: PawlError) => JobStop;
}

const RETRY_MS = 200;
const NEVER = new AbortController().signal;

/** Every call can be repeated, so a platform that is away is asked again while the job is held. */
export async function askFlow(
  { source, timers }: FlowAccess,
  { held, onLost }: FlowHolder,
  call: FlowCall,
): Promise<FlowAnswer> {
  if (source.flow === undefined) {
    throw fail('configuration_error', 'this worker cannot wait for jobs, messages or time');
  }
  for (;;) {
    try {
      return await source.flow(held(), call);
    } catch (error) {
      if (isPawlError(error) && error.code === 'LEASE_LOST') throw onLost(error);
      if (!isAway(error)) throw isPawlError(error) ? refusalOf(error) : error;
    }
    await timers.sleep(RETRY_MS, NEVER);
  }
}

const AWAY_STATUS: ReadonlySet<number> = new Set([408, 429, 502, 503]);

/** What is no answer of the platform may be gone the next time. */
function isAway(error: unknown): boolean {
  if (isPawlError(error)) return AWAY_STATUS.has(error.status);
  return error instanceof Error && error.name === 'StoreError';
}

function refusalOf({ code, message, faults, details }: PawlError): JobFailure {
  const errorClass =
    code === 'PAYLOAD_TOO_LARGE' ? 'resource_limit_exceeded' : 'configuration_error';
  const more = faults.length === 0 ? details : { ...details, faults };
  return fail(
    errorClass,
    message,
    Object.keys(more).length === 0 ? { code } : { code, details: more },
  );
}
