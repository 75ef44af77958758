import { durationText } from '../../../../pawl/src/cli/terminal/words.ts';
import type { FireJson, ScheduleJson } from '../../../../pawl/src/contract/schedule.ts';
import { get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import type { Page } from '../../page.ts';
import { Ago } from '../../parts/ago.tsx';
import { JobLink } from '../../parts/job-link.tsx';
import { Empty } from '../../parts/notice.tsx';
import { Shown } from '../../parts/shown.tsx';
import { StateChip } from '../../parts/state-chip.tsx';

const SHOWN = 8;

const RESULTS: Readonly<Record<FireJson['result'], string>> = {
  created: 'created a job',
  joined: 'joined an existing job',
  refused: 'was refused',
  skipped: 'was skipped',
};

/** How the run ended, or how it stands; what it came to where there is no job. */
function End({ fire }: { readonly fire: FireJson }) {
  const { job, result, reason } = fire;
  if (job === null || job === undefined) {
    return (
      <>
        {RESULTS[result]}
        {reason !== null && <span class="quiet"> {reason}</span>}
        {fire.jobId !== null && <span class="quiet"> (no longer kept)</span>}
      </>
    );
  }
  return (
    <>
      <StateChip job={job} />{' '}
      {job.completedAt !== null && (
        <span class="quiet">
          after {durationText(Date.parse(job.completedAt) - Date.parse(fire.at))}
        </span>
      )}{' '}
      {job.error !== null && job.phase !== 'succeeded' && <span class="quiet">{job.error}</span>}
    </>
  );
}

function Fire({ fire }: { readonly fire: FireJson }) {
  return (
    <li>
      <Ago time={fire.at} />
      <span class="breaks">
        {fire.isManual && 'manual: '}
        <End fire={fire} />
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
          <Empty title="No runs yet" />
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
