import { defineJob, openPawl, typed } from 'pawl';

let written = 0;
const reindex = defineJob('reindex', {
  input: typed<{ product: number }>(),
  run: ({ input }) => `product ${input.product} was written ${++written} time`,
});

const database = process.env['DATABASE_URL'] ?? 'data/jobs.db';
await using pawl = await openPawl({ database, jobs: [reindex] });
pawl.work();
// Every edit asks for it; it runs once, when there was no edit for 200 milliseconds.
const unique = { mode: 'debounce', key: 'product-7', window: '200ms' } as const;
await pawl.enqueue(reindex, { product: 7 }, { unique });
await pawl.enqueue(reindex, { product: 7 }, { unique });
const last = await pawl.enqueue(reindex, { product: 7 }, { unique });
console.log(await last.result());
