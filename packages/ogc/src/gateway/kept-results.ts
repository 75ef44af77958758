import { isUtf8 } from 'node:buffer';
import type { RunContext } from 'pawl/define';
import { begin } from '../model/body-bytes.ts';
import type { OpenAnswer } from './provider-answer.ts';

/** Results as a job keeps them: small texts in its row, all else as an artifact of its own. */
export type KeptResults =
  | ({ readonly kind: 'text'; readonly text: string } & KeptHeaders)
  | ({ readonly kind: 'artifact'; readonly id: string } & KeptHeaders)
  | { readonly kind: 'references'; readonly linkHeaders: readonly string[] };

interface KeptHeaders {
  /** Whole: a multipart body is of no use without the boundary that its type names. */
  readonly contentType: string;
  /** Others that say what the body is; left out where there are none. */
  readonly headers?: Readonly<Record<string, string>>;
}

const ARTIFACT = 'results';
const TEXT = /^(text\/.+|application\/(.+\+)?(json|xml))$/;
const UNNAMED = 'application/octet-stream';
const KEPT_HEADERS = [
  'content-encoding',
  'content-language',
  'content-disposition',
  'content-crs',
  'link',
];

/** Keeps what a provider gave: its body byte for byte, with its headers, or its links alone. */
export async function keepResults(
  run: Pick<RunContext<unknown>, 'artifact'>,
  { body, mediaType, headers }: OpenAnswer,
  inlineBytesMax: number,
): Promise<KeptResults> {
  const { start, rest } = await begin(body, inlineBytesMax);
  if (start.byteLength === 0) return { kind: 'references', linkHeaders: linksIn(headers) };
  const about = aboutBody(headers);
  if (rest === null && isText(mediaType, about) && isUtf8(start)) {
    return { kind: 'text', text: exactText(start), ...about };
  }
  const named = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(mediaType) ? mediaType : UNNAMED;
  const { id } = await run.artifact(ARTIFACT, rest ?? start, { contentType: named });
  return { kind: 'artifact', id, ...about };
}

export function linksIn(headers: Headers): string[] {
  const links = headers.get('link');
  return links === null ? [] : [links];
}

/** What is said of a body besides its bytes. */
export function aboutBody(headers: Headers): KeptHeaders {
  const kept = KEPT_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const contentType = headers.get('content-type') ?? UNNAMED;
  return kept.length === 0 ? { contentType } : { contentType, headers: Object.fromEntries(kept) };
}

/** Other charsets and encoded bytes are kept as bytes: as text they would not come back as sent. */
function isText(mediaType: string, { contentType, headers }: KeptHeaders): boolean {
  const charset = /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  const isPlain = headers?.['content-encoding'] === undefined;
  return isPlain && TEXT.test(mediaType) && /^(utf-?8|us-ascii)$/i.test(charset);
}

/** With its byte order mark, where it has one. */
function exactText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
