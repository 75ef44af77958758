import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import {
  defineJob,
  fail,
  fromTypebox,
  type JobDefinition,
  type JobFailure,
  PermanentError,
  platform,
  type RunContext,
  TransientError,
} from 'pawl/define';
import { readArtifact } from '../reading/read-deck.ts';
import { artifactId } from '../reading/reference.ts';
import { optionalPackage } from '../work/optional-package.ts';

// Sends a mail by SMTP; without a server it is put into an outbox as an .eml file that every mail
// program opens. Try: pawl enqueue email -i '{"to":["ada@example.org"],"subject":"Hi","text":"…"}'

const Address = Type.String({ minLength: 3, maxLength: 320, pattern: '^[^\\p{Cc}]+@[^\\p{Cc}]+$' });

const EmailInputSchema = Type.Object(
  {
    to: Type.Array(Address, { minItems: 1, maxItems: 100 }),
    cc: Type.Optional(Type.Array(Address, { maxItems: 100 })),
    bcc: Type.Optional(Type.Array(Address, { maxItems: 100 })),
    from: Type.Optional(Address),
    replyTo: Type.Optional(Address),
    subject: Type.String({ maxLength: 998, pattern: '^[^\\r\\n]*$' }),
    text: Type.String({ maxLength: 1_000_000 }),
    html: Type.Optional(Type.String({ maxLength: 1_000_000 })),
    attachments: Type.Optional(
      Type.Array(
        Type.Object(
          {
            artifact: artifactId('The artifact to attach.'),
            name: Type.Optional(
              Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\r\\n]*$' }),
            ),
          },
          { additionalProperties: false },
        ),
        { maxItems: 20 },
      ),
    ),
  },
  { additionalProperties: false },
);

const EmailResultSchema = Type.Object({
  messageId: Type.String(),
  /** By whom: the server's last word, or the file in the outbox. */
  sentBy: Type.String(),
  accepted: Type.Array(Type.String()),
  rejected: Type.Array(Type.String()),
});

export type EmailInput = Static<typeof EmailInputSchema>;
export type EmailResult = Static<typeof EmailResultSchema>;

/** Where mail goes. */
export interface EmailDependencies {
  /** `smtp://user:password@host:587` or `smtps://…`; null: files in the outbox. */
  readonly smtpUrl: string | null;
  readonly outboxFolder: string;
  readonly from: string;
}

const ATTACHMENT_BYTES_MAX = 20 * 1024 ** 2;
const SMTP_MS = 30_000;

type Context = RunContext<EmailInput>;

/** A mail to some people. Its Message-ID is the same however often it is tried. */
export function emailJob(deps: EmailDependencies): JobDefinition<EmailInput, EmailResult> {
  return defineJob('email', {
    lifecycle: platform,
    input: fromTypebox(EmailInputSchema),
    result: fromTypebox(EmailResultSchema),
    timeout: '2m',
    run: async (context): Promise<EmailResult> => {
      const { once } = context;
      const message = await messageOf(context, deps.from);
      return once('send', () =>
        deps.smtpUrl === null
          ? store(deps.outboxFolder, message)
          : send(deps.smtpUrl, message, context.signal),
      );
    },
  });
}

type Message = Awaited<ReturnType<typeof messageOf>>;

async function messageOf(context: Context, usualFrom: string) {
  const { input, idempotencyKey } = context;
  const { attachments = [], from = usualFrom, ...rest } = input;
  const id = createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 32);
  const attached = [];
  for (const { artifact, name } of attachments) {
    const opened = await readArtifact(context, artifact, ATTACHMENT_BYTES_MAX);
    const { bytes, contentType } = opened;
    attached.push({ filename: name ?? opened.name, content: Buffer.from(bytes), contentType });
  }
  return {
    ...rest,
    from,
    messageId: `<${id}@pawl.invalid>`,
    date: new Date(context.job.createdAt),
    attachments: attached,
    // Contents are given here; a mail never makes this machine read a file or fetch an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

async function mailer(options: object) {
  const { createTransport } = await optionalPackage('nodemailer', () => import('nodemailer'));
  return createTransport(options);
}

/** Written aside and then put in place, so that nobody finds half a mail. */
async function store(folder: string, message: Message): Promise<EmailResult> {
  const transport = await mailer({ streamTransport: true, buffer: true, newline: 'windows' });
  const sent = (await transport.sendMail(message)) as { message: Buffer };
  const name = `${message.messageId.slice(1, 33)}.eml`;
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(join(folder, `.${name}`), sent.message);
    await rename(join(folder, `.${name}`), join(folder, name));
  } catch (error) {
    throw fail('transient_storage', `the outbox cannot be written: ${String(error)}`);
  }
  const accepted = [...message.to, ...(message.cc ?? []), ...(message.bcc ?? [])];
  return { messageId: message.messageId, sentBy: `outbox/${name}`, accepted, rejected: [] };
}

async function send(url: string, message: Message, signal: AbortSignal): Promise<EmailResult> {
  const times = { connectionTimeout: SMTP_MS, greetingTimeout: SMTP_MS, socketTimeout: SMTP_MS };
  const transport = await mailer({ url, ...times });
  const stop = (): void => transport.close();
  signal.addEventListener('abort', stop);
  try {
    const sent = (await transport.sendMail(message)) as {
      response: string;
      accepted: readonly unknown[];
      rejected: readonly unknown[];
    };
    return {
      messageId: message.messageId,
      sentBy: sent.response,
      accepted: sent.accepted.map(String),
      rejected: sent.rejected.map(String),
    };
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error);
  } finally {
    signal.removeEventListener('abort', stop);
    transport.close();
  }
}

/** 4xx may go better later, 5xx will not; what never came so far was the network. */
function failureOf(error: unknown): JobFailure {
  const { responseCode, code, message } = error as {
    responseCode?: number;
    code?: string;
    message: string;
  };
  const more = { code: 'EMAIL_REFUSED', cause: error };
  if (code === 'EAUTH') {
    const what = 'the mail server does not know the user: correct PAWL_SMTP_URL';
    return fail('configuration_error', what, { ...more, code: 'EMAIL_UNAUTHORIZED' });
  }
  if (responseCode !== undefined && responseCode >= 500) {
    return new PermanentError(`the mail server refused the mail: ${message}`, more);
  }
  if (responseCode !== undefined) {
    const what = `the mail server put the mail off: ${message}`;
    return new TransientError(what, { ...more, code: 'EMAIL_DEFERRED' });
  }
  const what = `the mail server cannot be talked to (${code ?? 'no answer'}): ${message}`;
  return fail('dependency_unavailable', what, { ...more, code: 'EMAIL_UNREACHABLE' });
}
