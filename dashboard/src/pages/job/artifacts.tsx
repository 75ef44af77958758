import type { ArtifactJson } from '../../../../src/http/schema/artifact.ts';
import type { JobJson } from '../../../../src/http/schema/job.ts';
import { get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import type { Page } from '../../page.ts';
import { sizeText } from '../../parts/size-text.ts';

/** SVG is left out: as an image it runs nothing, but a preview is not worth explaining that. */
const SHOWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** The files of a job, images as pictures. */
export function JobArtifacts({ job }: { readonly job: JobJson }) {
  const page = useLoaded(
    () => get<Page<ArtifactJson>>(`./v1/jobs/${job.id}/artifacts`),
    [job.id, job.phase, job.stage],
  );
  const items = page.value.value?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section class="card wide">
      <h2>Artifacts</h2>
      <ul class="gallery">
        {items.map(({ id, name, url, size, contentType }) => (
          <li key={id}>
            <a href={url} download={name}>
              {SHOWN.has(contentType) && <img src={url} alt="" loading="lazy" />}
              <span class="breaks">{name}</span>
            </a>
            <span class="quiet">
              {contentType}, {sizeText(size)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
