import { defineJob, openPawl, typed } from 'pawl';

const imported: number[] = [];
const importRows = defineJob('import-rows', {
  input: typed<{ rows: number }>(),
  backoff: '50ms',
  run: ({ input, attempt, stage }) =>
    stage('import', { from: 0 }, async ({ from, checkpoint, progress }) => {
      for (let row = from; row < input.rows; row++) {
        if (attempt === 1 && row === 2) throw new Error('the connection is lost');
        imported.push(row);
        await checkpoint(row + 1); // where the next attempt goes on
        progress((row + 1) / input.rows);
      }
      return `imported ${imported.join(', ')}`;
    }),
});

const database = process.env['DATABASE_URL'] ?? 'data/jobs.db';
await using pawl = await openPawl({ database, jobs: [importRows] });
pawl.work();
const job = await pawl.enqueue(importRows, { rows: 4 });
console.log(await job.result());
