import { expiryOf, type LinkKey, signLink } from 'pawl/internal/artifact/link';
import type { Clock } from 'pawl/internal/core/clock';
import type { JobRef } from 'pawl/internal/core/job';
import type { Artifacts } from 'pawl/internal/engine/artifacts';
import type { Ownership } from 'pawl/internal/engine/owner';
import type { Artifact } from 'pawl/internal/records/artifacts';
import type { ArtifactJson } from 'pawl/internal/contract/artifact';

/** What the API needs to take in artifacts and to hand out links to them. */
export interface ArtifactServices {
  readonly access: Artifacts;
  /** Those that may sign, the one that does first, and retired ones whose links still live. */
  readonly keys: readonly LinkKey[];
  readonly clock: Clock;
  /** How long links are good for; never less than fifteen minutes. */
  readonly linkTtlMs?: number;
}

export const ARTIFACTS_PATH = '/v1/artifacts';

/** Node's client takes 16 KB for all headers together, and proxies often 8. */
const LINK_LENGTH_MAX = 6_000;

/** An artifact as answers show it: with a link, without the place of its bytes. */
export function artifactJson(
  services: ArtifactServices,
  artifact: Artifact,
  held: Ownership | null = null,
): ArtifactJson {
  const { tenant, id, sha256, name } = artifact;
  const path = `${ARTIFACTS_PATH}/${id}`;
  const holder =
    held === null ? null : { jobId: held.ref.id, owner: held.owner, epoch: held.epoch };
  const known = { artifactId: id, version: sha256, fileName: name, holder };
  const claims = { method: 'GET', path, tenant, ...known };
  const { linkTtlMs: ttlMs, keys } = services;
  const options = { keys, now: services.clock.now(), ...(ttlMs === undefined ? {} : { ttlMs }) };
  const url = signLink(claims, options);
  return {
    id,
    jobId: artifact.jobId,
    name,
    size: artifact.size,
    sha256,
    contentType: artifact.contentType,
    createdAt: new Date(artifact.createdAt).toISOString(),
    expiresAt: artifact.expiresAt === null ? null : new Date(artifact.expiresAt).toISOString(),
    url,
    urlExpiresAt: new Date(expiryOf(url)).toISOString(),
  };
}

/** What a job that succeeded has to show for it, beside its result. */
export interface ResultArtifacts {
  readonly artifacts: readonly ArtifactJson[];
  /** For the header `link`; null where there is none. */
  readonly link: string | null;
}

/**
 * The artifacts of a job with fresh links: all of a result's answer where the result itself is
 * null, and else told in its `link` header (RFC 8288), so that the result stays what it is.
 */
export async function resultArtifacts(
  services: ArtifactServices,
  job: JobRef,
): Promise<ResultArtifacts> {
  const artifacts = (await services.access.list(job)).map((one) => artifactJson(services, one));
  return { artifacts, link: artifacts.length === 0 ? null : linksOf(artifacts, job.id) };
}

/** As many as a header may have, and where the others are; clients refuse longer headers. */
function linksOf(artifacts: readonly ArtifactJson[], jobId: string): string {
  const links: string[] = [];
  let length = 0;
  for (const artifact of artifacts) {
    const link = linkOf(artifact);
    length += link.length + 2;
    if (length > LINK_LENGTH_MAX) {
      links.push(`</v1/jobs/${jobId}/artifacts>; rel="collection"`);
      break;
    }
    links.push(link);
  }
  return links.join(', ');
}

/** An artifact as one link of the header `link`. */
export function artifactLink(services: ArtifactServices, artifact: Artifact): string {
  return linkOf(artifactJson(services, artifact));
}

function linkOf({ url, name, contentType }: ArtifactJson): string {
  return `<${url}>; rel="item"; type="${contentType}"; title*=UTF-8''${encodeURIComponent(name)}`;
}
