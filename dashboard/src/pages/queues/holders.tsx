import type { JobJson } from '../../../../src/http/schema/job.ts';
import type { QueueJson } from '../../../../src/http/schema/queue.ts';
import { get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import type { Page } from '../../page.ts';
import { Ago } from '../../parts/ago.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { JobLink } from '../../parts/job-link.tsx';
import { Empty } from '../../parts/notice.tsx';
import { Shown } from '../../parts/shown.tsx';

const SHOWN = 100;

async function inHand(queue: string): Promise<JobJson[]> {
  const pages = await Promise.all(
    ['executing', 'leased'].map((phase) =>
      get<Page<JobJson>>('./v1/jobs', { queue, phase, limit: SHOWN }),
    ),
  );
  return pages.flatMap(({ items }) => items);
}

/** Who has the places of a queue, and until when. */
export function QueueHolders({ queue, onClose }: { queue: QueueJson; onClose: () => void }) {
  const jobs = useLoaded(() => inHand(queue.name), [queue.name], { everyMs: 2_000 });
  return (
    <Dialog title={`In hand of ${queue.name}`} onClose={onClose}>
      {(close) => (
        <>
          <Shown of={jobs}>
            {(items) =>
              items.length === 0 ? (
                <Empty title="Nothing is in hand" />
              ) : (
                <ul class="lines">
                  {items.map((job) => (
                    <li key={job.id}>
                      <JobLink id={job.id} />
                      <span>
                        {job.type} <span class="quiet">by {job.lease?.owner ?? 'nobody'}</span>
                      </span>
                      <Ago time={job.lease?.expiresAt ?? null} />
                    </li>
                  ))}
                </ul>
              )
            }
          </Shown>
          <button onClick={close}>Close</button>
        </>
      )}
    </Dialog>
  );
}
