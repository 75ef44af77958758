import type { Content } from '../../artifact/artifact-store.ts';
import type { JobRef } from '../../core/job.ts';
import type { Ids } from '../../core/ids.ts';
import type { Artifacts, NewArtifact } from '../../engine/artifacts.ts';
import type { Artifact } from '../../records/artifacts.ts';
import type { Ownership } from '../../engine/owner.ts';
import type { PayloadCodec, PayloadPlace } from '../payload-codec.ts';
import { placeIn } from './read.ts';

/** Where artifacts go, in this process or over a wire. */
export type ArtifactAccess = Pick<Artifacts, 'upload' | 'put' | 'list' | 'find' | 'open'>;

/** Of ciphertext nothing more can be said, and a media type would tell what it hides. */
const CONTENT_TYPE = 'application/octet-stream';

/**
 * Access to artifacts that encrypts names and contents. Sizes and hashes are those of the
 * ciphertext. An upload belongs to no job, so its ciphertext is bound to its own id.
 */
export function encodedArtifacts(
  access: ArtifactAccess,
  codec: PayloadCodec,
  ids: Ids,
): ArtifactAccess {
  const encoded = (ref: JobRef, artifact: NewArtifact): NewArtifact => {
    const { size: _size, sha256: _sha256, ...rest } = artifact;
    const content = codec.encodeContent(contentPlace(ref, artifact.name), artifact.content);
    const name = codec.encodeText(placeIn(ref, 'artifact.name'), artifact.name);
    return { ...rest, name, content, contentType: CONTENT_TYPE };
  };
  const decoded = (artifact: Artifact): Artifact => ({
    ...artifact,
    name: codec.decodeText(placeIn(refOf(artifact), 'artifact.name'), artifact.name),
  });
  return {
    upload: async (tenant, artifact) => {
      const id = artifact.id ?? ids.next();
      return decoded(await access.upload(tenant, { ...encoded({ tenant, id }, artifact), id }));
    },
    put: async (held: Ownership, artifact) =>
      decoded(await access.put(held, encoded(held.ref, artifact))),
    list: async (job, held) => (await access.list(job, held)).map(decoded),
    find: async (ref, held) => decoded(await access.find(ref, held)),
    open: async (artifact): Promise<Content> => {
      const place = contentPlace(refOf(artifact), artifact.name);
      return codec.decodeContent(place, await access.open(artifact));
    },
  };
}

function refOf({ tenant, id, jobId }: Artifact): JobRef {
  return { tenant, id: jobId ?? id };
}

function contentPlace(ref: JobRef, name: string): PayloadPlace {
  return placeIn(ref, `artifact:${name}`);
}
