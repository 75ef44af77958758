import type { ArtifactSnapshot } from '../handle/job-snapshot.ts';
import type { ArtifactJson } from '../contract/artifact.ts';
import type { ArtifactsClient } from './artifacts-client.ts';

/** An artifact whose content comes by a link that is fresh when it is asked for. */
export function artifactSnapshotOf(
  artifacts: ArtifactsClient,
  { id, name, contentType, size, sha256, createdAt }: ArtifactJson,
): ArtifactSnapshot {
  const open = async (): Promise<ReadableStream<Uint8Array>> =>
    artifacts.download(await artifacts.get(id));
  return {
    id,
    name,
    contentType,
    size,
    sha256,
    createdAt: new Date(createdAt),
    stream: async () => chunksOf(await open()),
    bytes: async () => new Uint8Array(await new Response(await open()).arrayBuffer()),
    text: async () => new Response(await open()).text(),
  };
}

/** Not every browser can walk a stream by itself. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
