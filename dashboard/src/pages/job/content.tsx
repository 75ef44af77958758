import type { JobJson } from '../../../../src/http/schema/job.ts';
import { get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { Empty } from '../../parts/notice.tsx';

interface Link {
  readonly name: string;
  readonly url: string;
  readonly contentType: string;
}

/** Artifacts in a result come as signed links. */
function linksIn(result: unknown): Link[] {
  const { artifacts } = (result ?? {}) as { artifacts?: unknown };
  if (!Array.isArray(artifacts)) return [];
  return (artifacts as Link[]).filter(({ url }) => typeof url === 'string');
}

/** What came of it: the result, and its artifacts with previews. */
export function JobContent({ job }: { readonly job: JobJson }) {
  const result = useLoaded(
    async () => (job.resultRef === null ? null : get<unknown>(`./v1/jobs/${job.id}/result`)),
    [job.resultRef],
  );
  const found = result.value.value;
  const links = linksIn(found);
  return (
    <section class="card">
      <h2>Result</h2>
      {job.resultRef === null ? <Empty title="None yet" /> : null}
      {links.map(({ name, url, contentType }) => (
        <div key={name}>
          <a href={url} target="_blank" rel="noreferrer">
            {name}
          </a>{' '}
          <span class="quiet">{contentType}</span>
          {contentType.startsWith('image/') && (
            <img src={url} alt={name} loading="lazy" style={{ maxWidth: '100%' }} />
          )}
        </div>
      ))}
      {found !== null && <pre>{JSON.stringify(found, null, 2)}</pre>}
    </section>
  );
}
