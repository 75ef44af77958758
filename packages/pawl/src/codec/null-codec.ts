import { createHash } from 'node:crypto';
import type { PayloadCodec } from './payload-codec.ts';

/** Leaves everything as it is: for payloads that need not be hidden from the platform. */
export const nullCodec: PayloadCodec = {
  encodeText: (_place, text) => text,
  decodeText: (_place, encoded) => encoded,
  encodeJson: (_place, json) => json,
  decodeJson: (_place, encoded) => encoded,
  encodeContent: (_place, content) => content,
  decodeContent: (_place, encoded) => encoded,
  hash: (_tenant, text) => createHash('sha256').update(text).digest('hex'),
};
