import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineJob, typed } from 'pawl';
import { openWorld } from 'pawl/testing';

let outages = 1;
const sendMail = defineJob('send-mail', {
  input: typed<{ to: string }>(),
  backoff: '1h',
  async run({ input }) {
    if (outages-- > 0) throw new Error('the mail server is busy');
    return `sent to ${input.to}`;
  },
});

test('a mail is sent again an hour after it failed', async () => {
  await using world = await openWorld({ jobs: [sendMail] });
  const mail = await world.enqueue(sendMail, { to: 'ada@example.com' });
  await world.runUntilIdle();
  assert.equal((await mail.snapshot()).error?.message, 'the mail server is busy');
  await world.clock.advance('1h'); // which takes no time
  assert.equal(await mail.result(), 'sent to ada@example.com');
});
