// A thousand jobs in one write, ten at a time, with a summary at the end.
//   npm run example examples/batch/main.ts
import { defineJob, type Job, openPawl, typed } from '../../src/index.ts';

const COUNT = 1_000;

const square = defineJob('square', {
  input: typed<{ n: number }>(),
  run: ({ input }) => input.n ** 2,
});

const pawl = await openPawl({ database: ':memory:', jobs: [square] });
const requests = Array.from({ length: COUNT }, (_, n) => ({
  type: square.type,
  input: { n },
  correlationId: 'squares',
  // Whoever runs the batch again finds the same jobs.
  idempotencyKey: `squares/${n}`,
}));
const caller = { tenant: 'default', principal: null };
const accepted = await pawl.engine.enqueue(requests, { caller });
const again = await pawl.engine.enqueue(requests, { caller });
const kinds = [accepted, again].map((all) => new Set(all.map(({ kind }) => kind)));
console.log(`first: ${[...kinds[0]!].join()}, again: ${[...kinds[1]!].join()}`);

pawl.work({ slots: 10 });
const jobs = accepted.flatMap((one): Job[] => (one.kind === 'refused' ? [] : [one.job]));
const ended = await Promise.all(jobs.map((job) => pawl.ended(job)));
const sum = ended.reduce((total, { result }) => total + Number(result), 0);
console.log(`${ended.length} jobs, the sum of their squares is ${sum}`);
await pawl.close();
