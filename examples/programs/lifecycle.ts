import { defineJob, defineLifecycle, openPawl, typed } from 'pawl';

const article = defineLifecycle({
  name: 'article',
  initial: 'draft',
  states: {
    draft: 'held',
    approved: 'ready',
    printing: 'executing',
    published: 'succeeded',
    misprinted: 'failed',
    rejected: 'cancelled',
  },
  transitions: [
    { on: 'submit', from: 'draft', to: 'approved' },
    { on: 'claim', from: 'approved', to: 'printing' },
    { on: 'succeed', from: 'printing', to: 'published' },
    { on: 'fail', from: 'printing', to: 'misprinted' },
    { on: 'lose', from: 'printing', to: 'misprinted' },
    { on: 'release', from: 'printing', to: 'approved' },
    { on: 'cancel', from: ['draft', 'approved'], to: 'rejected' },
  ],
});
const publish = defineJob('publish', {
  lifecycle: article,
  input: typed<{ title: string }>(),
  run: ({ input }) => `"${input.title}" is in print`,
});

const database = process.env['DATABASE_URL'] ?? 'data/jobs.db';
await using pawl = await openPawl({ database, jobs: [publish] });
pawl.work();
const job = await pawl.enqueue(publish, { title: 'Ratchets' }, { hold: true });
await job.submit(); // the editor approves
console.log(await job.result());
const states = new Set<string>();
for await (const { to } of job.events()) states.add(to);
console.log([...states].join(', '));
