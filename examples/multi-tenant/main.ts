// Many customers on one platform: they share workers fairly and see nothing of one another.
//   npm run example examples/multi-tenant/main.ts
import { defineJob, openPawl, type PawlError, typed } from 'pawl';

const order: string[] = [];

const send = defineJob('send', {
  input: typed<{ to: string }>(),
  limits: { runningPerKey: { max: 2, key: 'tenant' } },
  run: ({ job }) => void order.push(job.tenant),
});

const pawl = await openPawl({ database: ':memory:', jobs: [send] });
const usersOf = (count: number) => Array.from({ length: count }, (_, n) => ({ to: `user-${n}` }));

const large = await pawl.enqueueMany(send, usersOf(200), { tenant: 'large' });
const small = await pawl.enqueueMany(send, usersOf(2), { tenant: 'small' });
pawl.work({ slots: 2 });
await Promise.all([...small, ...large].map((job) => job.result()));

const place = order.lastIndexOf('small') + 1;
console.log(`small waited ${place < 50 ? 'a little' : 'for everybody'}`);
const stranger = pawl.tenant('small').job(send, large[0]!.id);
const answer = await stranger.snapshot().then(
  () => 'there it is',
  (error: PawlError) => error.code,
);
console.log(`small asks for a job of large: ${answer}`);
await pawl.close();
