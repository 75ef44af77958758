// Apart from instrumentation.ts, which Next compiles for its edge runtime too.
import { openJobs } from './app/pawl.ts';

const LAST_ANSWERS_MS = 5_000;

/** Opens Pawl with the server. On SIGTERM running handlers finish, then the process ends. */
export async function openAndClose(): Promise<void> {
  const pawl = await openJobs();
  process.once('SIGTERM', () => {
    // Next itself would wait for every connection, and a browser with the dashboard keeps one open.
    void pawl.close().finally(() => setTimeout(() => process.exit(), LAST_ANSWERS_MS).unref());
  });
}
