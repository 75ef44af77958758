import { drainOnSignal, openPawl } from 'pawl';
import { jobs, welcome } from './jobs.ts';
import { writeSchedules } from './schedules.ts';

const database = process.env['DATABASE_URL'] ?? '<database>';
await using pawl = await openPawl({ database, jobs });
await writeSchedules(pawl);

// On SIGTERM or Ctrl-C running jobs finish; what takes longer returns to the queue.
const stopped = drainOnSignal(pawl.work(), { timeout: '10s' });

const job = await pawl.enqueue(welcome, { email: 'ada@example.com' });
console.log('done:', await job.result());

await stopped;
