// A job once it is as a test needs it, told by the log: nobody looks again and again.
import type { Job, JobRef } from '../../src/core/job.ts';
import { isTerminal } from '../../src/core/phase.ts';
import type { Engine } from '../../src/engine/engine.ts';

const TIMEOUT_MS = 60_000;

/** By default at its end; fails with how the job stands if it never comes to be so. */
export async function jobWhen(
  engine: Pick<Engine, 'waitFor'>,
  { tenant, id }: JobRef,
  isSo: (job: Job) => boolean = ({ phase }) => isTerminal(phase),
): Promise<Job> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const job = await engine.waitFor({ tenant, id }, { signal, isOver: isSo });
  if (isSo(job)) return job;
  throw new Error(
    `job ${id} is still ${job.state} after ${TIMEOUT_MS} ms, or nobody reads the log`,
  );
}
