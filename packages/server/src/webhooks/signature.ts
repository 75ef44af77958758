// Standard Webhooks 1.0: what a receiver verifies with any library of that specification.
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A fresh signing secret, as its holder gets to see it. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** What is signed. The id is the same on every attempt, and has no dot in it. */
export interface SignedMessage {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
}

/** The headers of an attempt; during a rotation there is a signature by each secret. */
export function signedHeaders(
  message: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const { id, timestampSeconds, body } = message;
  const content = `${id}.${timestampSeconds}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets.map((secret) => signatureOf(secret, content)).join(' '),
  };
}

function signatureOf(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
