// web.ts
import { openPawl } from 'pawl';
import { resize } from './resize.ts';

const database = process.env['DATABASE_URL'] ?? 'data/jobs.db';
await using pawl = await openPawl({ database, jobs: [resize] });
const job = await pawl.enqueue(resize, { picture: 'cat.png', width: 800 });
console.log((await job.result()).file);
