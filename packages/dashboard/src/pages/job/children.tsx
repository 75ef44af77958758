import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import type { Page } from '../../page.ts';
import { Ago } from '../../parts/ago.tsx';
import { JobLink } from '../../parts/job-link.tsx';
import { StateChip } from '../../parts/state-chip.tsx';

const SHOWN = 20;

/** Jobs that came of this one: reruns, replays, compensations, what its handler asked for. */
export function JobChildren({ job }: { readonly job: JobJson }) {
  const page = useLoaded(
    () => get<Page<JobJson>>('./v1/jobs', { parentJobId: job.id, limit: SHOWN }),
    [job.id],
    { everyMs: 5_000 },
  );
  const items = page.value.value?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section class="card wide">
      <h2>Children</h2>
      <ul class="lines">
        {items.map((child) => (
          <li key={child.id}>
            <JobLink id={child.id} />
            <span>
              {child.type} <StateChip job={child} />{' '}
              {child.parentKind !== null && child.parentKind !== 'caller' && (
                <span class="quiet">{child.parentKind}</span>
              )}
            </span>
            <Ago time={child.createdAt} />
          </li>
        ))}
      </ul>
    </section>
  );
}
