// A program whose handler of many jobs leaves an error to nobody: it tells how each job ended.
import { declareJob, openPawl, typed } from 'pawl';

const { promise: over, resolve } = Promise.withResolvers<void>();
const job = declareJob('many', { input: typed<number>() }).runMany(
  { max: 3, wait: '10s', maxAttempts: 1 },
  async (jobs) => {
    jobs[0]!.fail(new Error('first'));
    void Promise.reject(new Error('floating'));
    await over;
  },
);
const pawl = await openPawl({ database: ':memory:', jobs: [job], log: false });
const jobs = await pawl.enqueueMany(job, [1, 2, 3]);
pawl.work();
const ends = await Promise.all(jobs.map((one) => one.ended()));
process.stdout.write(JSON.stringify(ends.map(({ error }) => error?.message)));
resolve();
await pawl.close();
