import { defineJob, openPawl, PermanentError, typed } from 'pawl';

let outages = 2;
async function deliver(to: string): Promise<string> {
  if (outages-- > 0) throw new Error('the mail server is busy');
  return `sent to ${to}`;
}

const sendMail = defineJob('send-mail', {
  input: typed<{ to: string }>(),
  maxAttempts: 5,
  backoff: { base: '50ms', max: '1m' },
  async run({ input }) {
    if (!input.to.includes('@')) throw new PermanentError(`${input.to} is not an address`);
    return deliver(input.to);
  },
});

const database = process.env['DATABASE_URL'] ?? 'data/jobs.db';
await using pawl = await openPawl({ database, jobs: [sendMail] });
pawl.work();
const mail = await pawl.enqueue(sendMail, { to: 'ada@example.com' });
console.log(await mail.result());
const lost = await pawl.enqueue(sendMail, { to: 'ada' });
console.log((await lost.ended()).error?.message);
