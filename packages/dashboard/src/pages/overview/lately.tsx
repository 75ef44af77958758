import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { recent } from '../../activity.ts';
import { get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import type { Page } from '../../page.ts';
import { Ago } from '../../parts/ago.tsx';
import { JobLink } from '../../parts/job-link.tsx';
import { Empty } from '../../parts/notice.tsx';
import { ProgressBar } from '../../parts/progress-bar.tsx';
import { Shown } from '../../parts/shown.tsx';

const SHOWN = 10;

/** What is being worked on. */
export function Running() {
  const page = useLoaded(
    () => get<Page<JobJson>>('./v1/jobs', { phase: 'executing', limit: SHOWN }),
    [],
    { everyMs: 2_000 },
  );
  return (
    <section class="card">
      <h2>Running now</h2>
      <Shown of={page}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No running jobs" />
          ) : (
            <ul class="lines">
              {items.map((job) => (
                <li key={job.id}>
                  <JobLink id={job.id} />
                  <span>
                    {job.type} <span class="quiet">{job.stage}</span>
                  </span>
                  <ProgressBar progress={job.progress} phase={job.phase} />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}

/** The latest beginnings and ends. */
export function Recent() {
  return (
    <section class="card">
      <h2>Latest events</h2>
      {recent.value.length === 0 && (
        <Empty title="No events since you opened this page">
          Try <code>pawl enqueue greet --input '{'{"names":["Ada"]}'}'</code>
        </Empty>
      )}
      <ul class="lines">
        {recent.value.slice(0, SHOWN).map((event) => (
          <li key={event.id}>
            <JobLink id={event.jobId} />
            <span>
              {event.type.replace('job_', '').replaceAll('_', ' ')}
              <span class="quiet"> → {event.to}</span>
            </span>
            <Ago time={event.timestamp} />
          </li>
        ))}
      </ul>
    </section>
  );
}
