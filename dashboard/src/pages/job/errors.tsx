import type { JobEventJson, JobJson } from '../../../../src/http/schema/job.ts';
import { Ago } from '../../parts/ago.tsx';

interface Given {
  readonly job: JobJson;
  readonly events: readonly JobEventJson[];
}

const FAILING: ReadonlySet<string> = new Set([
  'job_retry_scheduled',
  'job_requeued',
  'job_lease_expired',
  'job_failed',
  'job_dead_lettered',
]);

/** What went wrong in each attempt that did not come through. */
function failuresOf(events: readonly JobEventJson[]): JobEventJson[] {
  const failed = events.filter(({ type, message }) => FAILING.has(type) && message !== null);
  const byAttempt = new Map(failed.map((event) => [`${event.attempt} ${event.message}`, event]));
  return [...byAttempt.values()];
}

/** The error that stands, and those of the attempts before. */
export function JobErrors({ job, events }: Given) {
  const { error } = job;
  const failures = failuresOf(events);
  if (error === null && failures.length === 0) return null;
  return (
    <section class="problem" aria-label="Errors">
      {error !== null && (
        <>
          <b>{error.code}</b> <span class="breaks">{error.message}</span>
          <div class="quiet">
            {error.class}
            {error.stage !== null && ` in ${error.stage}`}
            {error.retryable ? ', may be tried again' : ', is not tried again'}
          </div>
        </>
      )}
      {(failures.length > 1 || error === null) && (
        <ol class="lines">
          {failures.map((event) => (
            <li key={event.id}>
              <span>attempt {event.attempt}</span>
              <span class="breaks">
                {event.message}
                {event.stage !== null && <span class="quiet"> in {event.stage}</span>}
              </span>
              <Ago time={event.timestamp} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
