// Many customers on one platform: they share workers fairly and see nothing of one another.
//   npm run example examples/multi-tenant/main.ts
import { defineJob, openPawl, typed } from '../../src/index.ts';

const order: string[] = [];

const send = defineJob('send', {
  input: typed<{ to: string }>(),
  limits: { runningPerKey: { max: 2, key: 'tenant' } },
  run: ({ job }) => void order.push(job.tenant),
});

const pawl = await openPawl({ database: ':memory:', jobs: [send] });

async function enqueueFor(tenant: string, count: number): Promise<string[]> {
  const requests = Array.from({ length: count }, (_, n) => ({
    type: send.type,
    input: { to: `user-${n}` },
  }));
  // The tenant comes from whoever is asking, never from the request.
  const results = await pawl.engine.enqueue(requests, { caller: { tenant, principal: 'api' } });
  return results.flatMap((one) => (one.kind === 'refused' ? [] : [one.job.id]));
}

const large = await enqueueFor('large', 200);
const small = await enqueueFor('small', 2);
pawl.work({ slots: 2 });
await Promise.all(small.map((id) => pawl.ended({ tenant: 'small', id })));
await Promise.all(large.map((id) => pawl.ended({ tenant: 'large', id })));

const place = order.lastIndexOf('small') + 1;
console.log(`small waited ${place < 50 ? 'a little' : 'for everybody'}`);
const answer = await pawl.engine.job({ tenant: 'small', id: large[0]! }).then(
  () => 'there it is',
  (error: { code: string }) => error.code,
);
console.log(`small asks for a job of large: ${answer}`);
await pawl.close();
