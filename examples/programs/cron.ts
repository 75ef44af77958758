import { defineJob, openPawl, typed } from 'pawl';

const report = defineJob('report', {
  input: typed<{ region: string }>(),
  run: ({ input }) => `the sales of ${input.region}`,
});

const database = process.env['DATABASE_URL'] ?? 'data/jobs.db';
await using pawl = await openPawl({ database, jobs: [report] });
pawl.work();
const nightly = { cron: '0 3 * * *', timezone: 'Europe/Berlin' };
const { next } = await pawl.schedule('nightly', nightly, report, { region: 'north' });
console.log('next at', next[0]?.toLocaleTimeString('de', { timeZone: 'Europe/Berlin' }));
const { jobId } = await pawl.schedules.run('nightly'); // now, not to wait for the night
console.log(await pawl.job(report, jobId!).result());
