import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import type { Page } from '../../page.ts';
import { Ago } from '../../parts/ago.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { JobLink } from '../../parts/job-link.tsx';
import { Empty } from '../../parts/notice.tsx';
import { Shown } from '../../parts/shown.tsx';

const SHOWN = 100;

/** A limit on jobs that have something in common. */
export interface SharedLimit {
  readonly max: number;
  /** What they have in common; a tenant has all of them. */
  readonly key: 'documentId' | 'requestedBy' | 'correlationId' | 'tenant';
}

interface Given {
  readonly title: string;
  /** Of a queue or of a type. */
  readonly filter: { readonly queue?: string; readonly type?: string };
  readonly limit?: SharedLimit | undefined;
  readonly onClose: () => void;
}

async function inFlight(filter: Given['filter']): Promise<JobJson[]> {
  const pages = await Promise.all(
    ['executing', 'leased'].map((phase) =>
      get<Page<JobJson>>('./v1/jobs', { ...filter, phase, limit: SHOWN }),
    ),
  );
  return pages.flatMap(({ items }) => items);
}

function Lines({ jobs }: { readonly jobs: readonly JobJson[] }) {
  return (
    <ul class="lines">
      {jobs.map((job) => (
        <li key={job.id}>
          <JobLink id={job.id} />
          <span>
            {job.type} <span class="quiet">by {job.lease?.owner ?? 'nobody'}</span>
          </span>
          <Ago time={job.lease?.expiresAt ?? null} />
        </li>
      ))}
    </ul>
  );
}

/** Jobs that share a key, under what they share, the fullest first. */
function ByKey({ jobs, limit }: { jobs: readonly JobJson[]; limit: SharedLimit }) {
  const { key, max } = limit;
  const groups = [...Map.groupBy(jobs, (job) => (key === 'tenant' ? '' : (job[key] ?? '')))];
  return (
    <>
      {groups
        .toSorted(([, one], [, other]) => other.length - one.length)
        .map(([value, held]) => (
          <section key={value} aria-label={value === '' ? 'all' : value}>
            <p>
              <b class="breaks">{value === '' ? 'In total' : value}</b>{' '}
              <span class={held.length >= max ? 'state waiting' : 'quiet'}>
                {held.length} of {max}
                {held.length >= max && ', full'}
              </span>
            </p>
            <Lines jobs={held} />
          </section>
        ))}
    </>
  );
}

/** Who has the places of a queue or a type, and until when. */
export function Holders({ title, filter, limit, onClose }: Given) {
  const jobs = useLoaded(() => inFlight(filter), [JSON.stringify(filter)], { everyMs: 2_000 });
  return (
    <Dialog title={title} onClose={onClose}>
      {(close) => (
        <>
          <Shown of={jobs}>
            {(items) => {
              if (items.length === 0) return <Empty title="No jobs in flight" />;
              return limit === undefined ? (
                <Lines jobs={items} />
              ) : (
                <ByKey jobs={items} limit={limit} />
              );
            }}
          </Shown>
          <button onClick={close}>Close</button>
        </>
      )}
    </Dialog>
  );
}
