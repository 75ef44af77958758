// A thousand jobs in one write, ten at a time, with a summary at the end.
//   npm run example examples/batch/main.ts
import { defineJob, openPawl, typed } from 'pawl';

const square = defineJob('square', {
  input: typed<{ n: number }>(),
  run: ({ input }) => input.n ** 2,
});

const pawl = await openPawl({ database: ':memory:', jobs: [square] });
const inputs = Array.from({ length: 1_000 }, (_, n) => ({ n }));
// All of them or none; whoever runs the batch again finds the same jobs by their keys.
const jobs = await pawl.enqueueMany(square, inputs, ({ n }) => ({ key: `squares/${n}` }));
const again = await pawl.enqueueMany(square, inputs, ({ n }) => ({ key: `squares/${n}` }));
const outcomes = [jobs, again].map((all) => new Set(all.map(({ outcome }) => outcome)));
console.log(`first: ${[...outcomes[0]!].join()}, again: ${[...outcomes[1]!].join()}`);

pawl.work({ slots: 10 });
const squares = await Promise.all(jobs.map((job) => job.result()));
const sum = squares.reduce((total, one) => total + one, 0);
console.log(`${squares.length} jobs, the sum of their squares is ${sum}`);
await pawl.close();
