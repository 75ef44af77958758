// Apart from instrumentation.ts, which Next compiles for its edge runtime too.
import { openJobs } from './app/pawl.ts';

/** Opens Pawl with the server and closes it with the server: running handlers finish. */
export async function openAndClose(): Promise<void> {
  const pawl = await openJobs();
  process.once('SIGTERM', () => void pawl.close());
}
