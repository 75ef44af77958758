import { fail } from './failure.ts';

/** What a handler may give as content: text, bytes, or a stream of either. */
export type ArtifactContent = string | Uint8Array | AsyncIterable<Uint8Array | string>;

/** The stored record of an artifact: name, size, hash. */
export interface KeptArtifact {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** An artifact with its content as a stream, which can be read once. */
export interface OpenedArtifact extends KeptArtifact {
  readonly content: AsyncIterable<Uint8Array>;
}

/** An artifact by its id, as `artifact` returned it, or as an input refers to it. */
export type ArtifactName = string | { readonly id: string } | { readonly $artifact: string };

/** An artifact on its way out of a handler. */
export interface ArtifactDraft {
  readonly name: string;
  readonly contentType: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Bytes that are there already travel in pieces of this size. */
const PIECE_BYTES = 256 * 1024;

export function draftOf(
  name: string,
  content: ArtifactContent,
  contentType: string | undefined,
): ArtifactDraft {
  const usual =
    typeof content === 'string' ? 'text/plain; charset=utf-8' : 'application/octet-stream';
  return { name, contentType: contentType ?? usual, content: bytesOf(content) };
}

export function artifactIdOf(artifact: ArtifactName): string {
  if (typeof artifact === 'string') return artifact;
  return '$artifact' in artifact ? artifact.$artifact : artifact.id;
}

async function* bytesOf(content: ArtifactContent): AsyncGenerator<Uint8Array> {
  if (typeof content === 'string') yield* piecesOf(Buffer.from(content));
  else if (content instanceof Uint8Array) yield* piecesOf(content);
  else for await (const chunk of content) yield bytesIn(chunk);
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) {
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}

function bytesIn(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return Buffer.from(chunk);
  if (chunk instanceof Uint8Array) return chunk;
  const message = `the content of an artifact is bytes or text, but ${typeof chunk} came`;
  throw fail('internal_bug', message);
}

/** Tells an error of the content itself, which is the handler's, from one of its keeping. */
export async function* noting(
  content: AsyncIterable<Uint8Array>,
  own: { error?: unknown },
): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    own.error = error;
    throw error;
  }
}
