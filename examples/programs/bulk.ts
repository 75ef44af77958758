import { defineJob, openPawl, typed } from 'pawl';

const square = defineJob('square', {
  input: typed<{ n: number }>(),
  run: ({ input }) => input.n ** 2,
});

const database = process.env['DATABASE_URL'] ?? 'data/jobs.db';
await using pawl = await openPawl({ database, jobs: [square] });
pawl.work();
const inputs = Array.from({ length: 1_000 }, (_, n) => ({ n }));
const jobs = await pawl.enqueueMany(square, inputs); // all of them or none
const squares = await Promise.all(jobs.map((job) => job.result()));
console.log(`the sum of ${jobs.length} squares is ${squares.reduce((sum, one) => sum + one, 0)}`);
