import { defineJob, openPawl, typed } from 'pawl';

const calls: string[] = [];
const callApi = defineJob('call-api', {
  input: typed<{ customer: string; n: number }>(),
  limits: { rate: { perUser: { max: 2, per: '1s' } } },
  run: ({ input }) => void calls.push(`${input.customer} ${input.n}`),
});

const database = process.env['DATABASE_URL'] ?? 'data/jobs.db';
await using pawl = await openPawl({ database, jobs: [callApi] });
pawl.work();
const acme = [1, 2, 3].map((n) => ({ customer: 'acme', n }));
const inputs = [...acme, { customer: 'globex', n: 1 }];
const jobs = await pawl.enqueueMany(callApi, inputs, ({ customer }) => ({ limitKey: customer }));
await Promise.all(jobs.map((job) => job.result()));
console.log(`${calls.length} calls, the last was ${calls.at(-1)}`);
