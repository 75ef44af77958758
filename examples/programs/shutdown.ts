import { setTimeout as pause } from 'node:timers/promises';
import { defineJob, drainOnSignal, openPawl } from 'pawl';

const encode = defineJob('encode', {
  async run({ signal }) {
    console.log('begun');
    await pause(300, undefined, { signal });
    console.log('encoded');
  },
});

const database = process.env['DATABASE_URL'] ?? 'data/jobs.db';
await using pawl = await openPawl({ database, jobs: [encode] });
const worker = pawl.work();
await pawl.enqueue(encode);
// On SIGTERM nothing more is begun; what takes longer goes back into the queue.
await drainOnSignal(worker, { timeout: '10s' });
console.log('stopped');
