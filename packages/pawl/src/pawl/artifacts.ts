import type { JobRef } from '../core/job.ts';
import type { ArtifactSnapshot } from '../handle/job-snapshot.ts';
import type { Artifact } from '../records/artifacts.ts';
import type { PayloadArtifacts } from './payloads.ts';

/** The artifacts of a job by name; none where there is no place for any. */
export async function artifactsOf(
  access: PayloadArtifacts | null,
  ref: JobRef,
): Promise<readonly ArtifactSnapshot[]> {
  if (access === null) return [];
  return (await access.list(ref)).map((artifact) => artifactSnapshotOf(access, artifact));
}

export function artifactSnapshotOf(access: PayloadArtifacts, artifact: Artifact): ArtifactSnapshot {
  const { id, name, contentType, size, sha256 } = artifact;
  const bytes = async (): Promise<Uint8Array> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of await access.open(artifact)) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  return {
    id,
    name,
    contentType,
    size,
    sha256,
    createdAt: new Date(artifact.createdAt),
    stream: () => access.open(artifact),
    bytes,
    text: async () => new TextDecoder().decode(await bytes()),
  };
}
