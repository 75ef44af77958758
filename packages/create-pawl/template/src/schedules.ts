import type { JobVerbs } from 'pawl';
import { cleanUp } from './jobs.ts';

/** Each process may write them when it starts: a schedule is stored once, under its name. */
export async function writeSchedules(pawl: JobVerbs): Promise<void> {
  await pawl.schedule('nightly', { cron: '0 3 * * *', timezone: 'Etc/UTC' }, cleanUp);
}
