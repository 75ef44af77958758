import type { OpenedArtifact } from 'pawl/define';

/** The content of an artifact as a whole; null where it is more than it may be. */
export async function readWhole(
  { content, size }: Pick<OpenedArtifact, 'content' | 'size'>,
  bytesMax: number,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let sum = 0;
  // Also what is too large is begun and then left: only so is it closed.
  for await (const chunk of content) {
    sum += chunk.byteLength;
    if (size > bytesMax || sum > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
