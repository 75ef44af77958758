import type { RunContext } from 'pawl/define';
import type { ProviderAnswer } from './provider-client.ts';

/** Results as a job keeps them: small texts in its row, all else as an artifact of its own. */
export type KeptResults =
  | { readonly kind: 'text'; readonly contentType: string; readonly text: string }
  | { readonly kind: 'artifact'; readonly contentType: string; readonly id: string }
  | { readonly kind: 'references'; readonly linkHeaders: readonly string[] };

const ARTIFACT = 'results';
const TEXT = /^(text\/.+|application\/(.+\+)?(json|xml))$/;
const UNNAMED = 'application/octet-stream';

/** Keeps what a provider gave: its body as it came, with its type, or its links alone. */
export async function keepResults(
  run: Pick<RunContext<unknown>, 'artifact'>,
  answer: ProviderAnswer,
  inlineBytesMax: number,
): Promise<KeptResults> {
  const { body, mediaType, headers } = answer;
  const links = headers.get('link');
  if (body.byteLength === 0) {
    return { kind: 'references', linkHeaders: links === null ? [] : [links] };
  }
  const contentType = headers.get('content-type') ?? UNNAMED;
  if (body.byteLength <= inlineBytesMax && TEXT.test(mediaType) && isUtf8(contentType)) {
    return { kind: 'text', contentType, text: new TextDecoder().decode(body) };
  }
  const named = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(mediaType) ? mediaType : UNNAMED;
  const kept = await run.artifact(ARTIFACT, body, { contentType: named });
  // A multipart body is of no use without the boundary that its full type names.
  return { kind: 'artifact', contentType, id: kept.id };
}

function isUtf8(contentType: string): boolean {
  const charset = /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  return /^(utf-?8|us-ascii)$/i.test(charset);
}
