import type { ArtifactJson } from '../../../../pawl/src/contract/artifact.ts';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { serverHref, getAll } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { sizeText } from '../../parts/size-text.ts';
import { isText, Preview } from './preview.tsx';

/** SVG is left out: as an image it runs nothing, but a preview is not worth explaining that. */
const SHOWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

function ArtifactItem({ artifact }: { readonly artifact: ArtifactJson }) {
  const { name, size, contentType } = artifact;
  const url = serverHref(artifact.url);
  return (
    <li class={isText(artifact) ? 'wide' : ''}>
      <a href={url} download={name}>
        {SHOWN.has(contentType) && <img src={url} alt="" loading="lazy" />}
        <span class="breaks">{name}</span>
      </a>{' '}
      <span class="quiet">
        {contentType}, {sizeText(size)}
      </span>
      {isText(artifact) && <Preview artifact={artifact} />}
    </li>
  );
}

/** The files of a job: pictures are seen, texts can be looked into, the rest is for download. */
export function JobArtifacts({ job }: { readonly job: JobJson }) {
  const page = useLoaded(
    () => getAll<ArtifactJson>(`./v1/jobs/${job.id}/artifacts`),
    [job.id, job.phase, job.stage],
  );
  const items = page.value.value?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section class="card wide" aria-label="Artifacts">
      <h2>Artifacts</h2>
      <ul class="gallery">
        {items.map((artifact) => (
          <ArtifactItem key={artifact.id} artifact={artifact} />
        ))}
      </ul>
    </section>
  );
}
