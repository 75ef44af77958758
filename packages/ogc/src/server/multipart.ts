import { randomUUID } from 'node:crypto';

/** A part of a `multipart/related` body; one without content says where it is instead. */
export interface Part {
  readonly id: string;
  readonly contentType: string;
  readonly content: Uint8Array | null;
  readonly location?: string;
}

/** Names of outputs are the author's; nothing in them may end a header. */
function headerText(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, (one) => encodeURIComponent(one));
}

export function multipartOf(parts: readonly Part[]): { contentType: string; body: Uint8Array } {
  const boundary = `pawl-${randomUUID()}`;
  const pieces: Uint8Array[] = [];
  for (const { id, contentType, content, location } of parts) {
    const head = [
      `--${boundary}`,
      `Content-Type: ${contentType}`,
      `Content-ID: ${headerText(id)}`,
      ...(location === undefined ? [] : [`Content-Location: ${headerText(location)}`]),
    ];
    pieces.push(Buffer.from(`${head.join('\r\n')}\r\n\r\n`), content ?? Buffer.alloc(0));
    pieces.push(Buffer.from('\r\n'));
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  const contentType = `multipart/related; boundary="${boundary}"`;
  return { contentType, body: Buffer.concat(pieces) };
}
