// email jobs: by SMTP to a server that listens, and into the outbox without one.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { emailJob, type EmailResult } from '../src/small/email.ts';
import { type JobFixture, openJobFixture, resultOf } from './job-fixture.ts';
import { openSmtpServer, type SmtpServer } from './smtp-server.ts';

const MAIL = { to: ['ada@example.org'], subject: 'Käse', text: 'Guten Tag.' };
const FROM = 'Pawl <pawl@example.org>';

async function openMailFixture(
  context: TestContext,
): Promise<{ fixture: JobFixture; server: SmtpServer }> {
  const server = await openSmtpServer(context);
  const job = emailJob({ smtpUrl: server.url, outboxFolder: 'nowhere', from: FROM });
  return { fixture: await openJobFixture(context, [job]), server };
}

test('[P14] an email job sends a mail with an attachment by SMTP', async (context) => {
  const { fixture, server } = await openMailFixture(context);
  const artifact = await fixture.upload('note.txt', 'attached words', 'text/plain');
  const input = {
    ...MAIL,
    to: ['ada@example.org', 'nobody@example.org'],
    attachments: [{ artifact }],
  };
  const job = await fixture.run('email', input);
  assert.equal(job.state, 'SUCCESS', JSON.stringify(job.error));
  const { messageId, accepted, rejected, sentBy } = resultOf<EmailResult>(job);
  assert.deepEqual([accepted, rejected], [['ada@example.org'], ['nobody@example.org']]);
  assert.equal(sentBy, '250 kept');
  const [mail] = server.mails;
  assert.deepEqual([mail!.from, mail!.to], ['<pawl@example.org>', ['<ada@example.org>']]);
  assert.match(mail!.content, new RegExp(`Message-ID: ${messageId}`, 'i'));
  assert.match(mail!.content, /Subject: =\?UTF-8\?/);
  assert.match(mail!.content, /filename=note\.txt/);
  assert.ok(mail!.content.includes(Buffer.from('attached words').toString('base64')));
});

test('[P14, R30] a mail that is put off is sent again under the same Message-ID; one that is refused is dead', async (context) => {
  const { fixture, server } = await openMailFixture(context);
  server.answer('451 later', '250 now', '554 never');
  const first = await fixture.run('email', MAIL);
  assert.deepEqual([first.state, first.error?.class], ['RETRY', 'TransientError']);
  await fixture.pass(60_000);
  const sent = await fixture.world.job(first);
  assert.deepEqual([sent.state, server.mails.length], ['SUCCESS', 1]);
  const ids = server.tried.map(({ content }) => /Message-ID: (.*)/i.exec(content)?.[1]);
  assert.equal(ids[0], ids[1]);
  const refused = await fixture.run('email', MAIL);
  assert.deepEqual(
    [refused.state, refused.error?.class, refused.error?.code],
    ['DEAD', 'PermanentError', 'EMAIL_REFUSED'],
  );
});

test('[P14] without a server a mail is a file in the outbox, the same one however often it is tried', async (context) => {
  const fixture = await openJobFixture(context, []);
  const outboxFolder = join(fixture.folder, 'outbox');
  const own = await openJobFixture(context, [
    emailJob({ smtpUrl: null, outboxFolder, from: FROM }),
  ]);
  const job = await own.run('email', { ...MAIL, cc: ['bob@example.org'], html: '<p>Tag</p>' });
  assert.equal(job.state, 'SUCCESS', JSON.stringify(job.error));
  const [file, ...more] = readdirSync(outboxFolder);
  assert.deepEqual([resultOf<EmailResult>(job).sentBy, more], [`outbox/${file}`, []]);
  const content = readFileSync(join(outboxFolder, file!), 'utf8');
  assert.match(content, /^From: Pawl <pawl@example\.org>\r$/m);
  assert.match(content, /^Cc: bob@example\.org\r$/m);
  assert.match(content, /Guten Tag\./);
});

test('[R30] a server that is not there is a dependency, and tried again', async (context) => {
  const job = emailJob({ smtpUrl: 'smtp://127.0.0.1:1', outboxFolder: 'nowhere', from: FROM });
  const fixture = await openJobFixture(context, [job]);
  const { state, error } = await fixture.run('email', MAIL);
  assert.deepEqual(
    [state, error?.class, error?.code],
    ['RETRY', 'dependency_unavailable', 'EMAIL_UNREACHABLE'],
  );
});
