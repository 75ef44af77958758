import { fail, isHeeded, isJobFailure, JobStop, Pause, type RunContext } from 'pawl/define';

/**
 * Runs a handler whose every failure is one of its own codes: whatever else is thrown is a fault
 * of this program, which no retry mends.
 */
export async function guarded<Result>(
  { signal, job }: Pick<RunContext<unknown>, 'signal' | 'job'>,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    const isKnown = isJobFailure(error) || error instanceof JobStop;
    if (isKnown || error instanceof Pause || isHeeded(error, signal)) throw error;
    const code = `${job.type.toUpperCase()}_INTERNAL`;
    const message = `${String(error)}: a fault of the program, please report it`;
    throw fail('internal_bug', message, { code, cause: error });
  }
}
