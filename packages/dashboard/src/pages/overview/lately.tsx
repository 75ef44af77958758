import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { recent } from '../../activity.ts';
import { Ago } from '../../parts/ago.tsx';
import { JobLink } from '../../parts/job-link.tsx';
import { Empty } from '../../parts/notice.tsx';
import { ProgressBar } from '../../parts/progress-bar.tsx';

const SHOWN = 10;

/** What is being worked on. */
export function Running({ jobs }: { readonly jobs: readonly JobJson[] }) {
  return (
    <section class="card">
      <h2>Running now</h2>
      {jobs.length === 0 && <Empty title="Nothing is running" />}
      <ul class="lines">
        {jobs.map((job) => (
          <li key={job.id}>
            <JobLink id={job.id} />
            <span>
              {job.type} <span class="quiet">{job.stage}</span>
            </span>
            <ProgressBar progress={job.progress} phase={job.phase} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The latest beginnings and ends. */
export function Recent() {
  return (
    <section class="card">
      <h2>Just happened</h2>
      {recent.value.length === 0 && (
        <Empty title="Quiet since you came">
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
