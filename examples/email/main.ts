// Mail that is sent again when the server is busy, and known to the receiver when it comes twice.
//   npm run example examples/email/main.ts
//   SMTP_URL=smtp://user:password@mail.example:587 npm run example examples/email/main.ts
import { createHash } from 'node:crypto';
import { createTransport } from 'nodemailer';
import { Type } from 'typebox';
import { defineJob, fail, fromTypebox, openPawl, ValidationError } from 'pawl';
import { openMailbox } from './mailbox.ts';

// Without a mail server this one is used, which is busy at first.
const mailbox = process.env['SMTP_URL'] === undefined ? await openMailbox(1) : null;
const transport = createTransport(process.env['SMTP_URL'] ?? mailbox!.url);

const welcome = defineJob('welcome-mail', {
  input: fromTypebox(Type.Object({ to: Type.String(), name: Type.String() })),
  maxAttempts: 5,
  backoff: { base: '200ms', max: '1m' },
  retryable: ['dependency_unavailable'],
  run: ({ input, once }) =>
    // What the server answered is kept: a later attempt does not send the mail again. Should the
    // machine stop between the two, the second mail has the same name, and mail programs show one.
    once('send', async ({ idempotencyKey }) => {
      const name = createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 32);
      const mail = {
        from: 'shop@example.com',
        to: input.to,
        subject: `Welcome, ${input.name}`,
        text: 'Good to have you here.',
        messageId: `<${name}@example.com>`,
      };
      const { messageId } = await transport.sendMail(mail).catch((cause: unknown) => {
        const { responseCode = 0, message } = cause as Error & { responseCode?: number };
        // By the first digit: 5 is for ever, everything else may be better later.
        if (responseCode >= 500) throw new ValidationError(message);
        throw fail('dependency_unavailable', message, { cause });
      });
      return messageId;
    }),
});

const pawl = await openPawl({ database: process.env['DATABASE'] ?? ':memory:', jobs: [welcome] });
pawl.work();
const job = await pawl.enqueue(
  welcome,
  { to: 'ada@example.com', name: 'Ada' },
  { key: 'welcome/ada@example.com' },
);
const { state, attempts } = await job.ended();
console.log(`${state} after ${attempts} attempts`);
if (mailbox !== null) {
  const subjects = mailbox.mails.map((mail) => /^Subject: (.*)$/m.exec(mail)?.[1]);
  console.log(`${mailbox.mails.length} mail came: ${subjects.join()}`);
}
transport.close();
mailbox?.close();
await pawl.close();
