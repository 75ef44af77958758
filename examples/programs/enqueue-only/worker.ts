// worker.ts
import { drainOnSignal, openPawl } from 'pawl';
import { resize } from './resize.ts';

const resizer = resize.handle({
  run: ({ input }) => ({ file: `${input.width}-${input.picture}` }),
});

const database = process.env['DATABASE_URL'] ?? 'data/jobs.db';
await using pawl = await openPawl({ database, jobs: [resizer] });
const worker = pawl.work();
console.log('working');
await drainOnSignal(worker);
