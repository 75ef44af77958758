import type { FireJson, ScheduleJson } from '../../../../pawl/src/contract/schedule.ts';
import { get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import type { Page } from '../../page.ts';
import { Ago } from '../../parts/ago.tsx';
import { JobLink } from '../../parts/job-link.tsx';
import { Empty } from '../../parts/notice.tsx';
import { Shown } from '../../parts/shown.tsx';

const SHOWN = 8;

function Fire({ fire }: { readonly fire: FireJson }) {
  return (
    <li>
      <Ago time={fire.at} />
      <span>
        {fire.isManual ? 'by hand, ' : ''}
        {fire.result}
        {fire.reason !== null && <span class="quiet"> {fire.reason}</span>}
      </span>
      {fire.jobId !== null && <JobLink id={fire.jobId} />}
    </li>
  );
}

/** What became of the latest runs. */
export function ScheduleHistory({ schedule }: { readonly schedule: ScheduleJson }) {
  const path = `./v1/schedules/${encodeURIComponent(schedule.name)}/history`;
  const page = useLoaded(
    () => get<Page<FireJson>>(path, { limit: SHOWN }),
    [path, schedule.lastSlot],
    { everyMs: 5_000 },
  );
  return (
    <Shown of={page}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="It has not run yet" />
        ) : (
          <ul class="lines">
            {items.map((fire) => (
              <Fire key={fire.n} fire={fire} />
            ))}
          </ul>
        )
      }
    </Shown>
  );
}
