import type { JobEventJson, JobJson } from '../../../../pawl/src/contract/job.ts';
import { traceText } from '../../../../pawl/src/core/error-text.ts';
import { Ago } from '../../parts/ago.tsx';
import { Prose } from '../../parts/prose.tsx';
import { ValueText } from '../../parts/value-text.tsx';

const SHOWN = 20;

interface Given {
  readonly job: JobJson;
  readonly events: readonly JobEventJson[];
}

interface Failure {
  readonly id: string;
  readonly attempt: number;
  readonly message: string;
  readonly stage: string | null;
  readonly at: string;
}

/** What went wrong in each attempt; an event counts the attempts that come after it. */
function failuresOf(events: readonly JobEventJson[]): Failure[] {
  let attempt = 1;
  return events.flatMap((event) => {
    if (event.type === 'job_claimed') attempt = event.attempt;
    const error = event.metadata['error'] as { message?: string; stage?: string } | undefined;
    if (typeof error?.message !== 'string') return [];
    const { id, timestamp: at } = event;
    return [{ id, attempt, message: error.message, stage: error.stage ?? null, at }];
  });
}

function Standing({ error }: { readonly error: NonNullable<JobJson['error']> }) {
  return (
    <div>
      <b>{error.code}</b> <span class="breaks">{error.message}</span>
      <div class="quiet">
        {error.class}
        {error.stage !== null && ` in ${error.stage}`}
        {error.retryable ? ', may be retried' : ', not retried'}
      </div>
      {error.hint !== undefined && (
        <div class="quiet breaks">
          <Prose text={error.hint} />
        </div>
      )}
      <Trace error={error} />
    </div>
  );
}

/** Where it came from, for who wants to know. */
function Trace({ error }: { readonly error: NonNullable<JobJson['error']> }) {
  const trace = traceText(error);
  if (trace === '') return null;
  const isLed = (error.causes ?? []).length > 0;
  return (
    <details class="preview">
      <summary>{isLed ? 'Stack and causes' : 'Stack'}</summary>
      <ValueText text={trace} what="Stack" />
    </details>
  );
}

/** The error that stands, and those of the attempts before. */
export function JobErrors({ job, events }: Given) {
  const { error } = job;
  const failures = failuresOf(events).slice(-SHOWN);
  if (error === null && failures.length === 0) return null;
  // What may still come right is not shown as if it were over.
  const isOver = error !== null && job.completedAt !== null;
  return (
    <section class={isOver ? 'problem' : 'card'} aria-label="Errors">
      {!isOver && <h2>Errors of earlier attempts</h2>}
      {error !== null && <Standing error={error} />}
      {(failures.length > 1 || error === null) && (
        <ol class="lines">
          {failures.map(({ id, attempt, message, stage, at }) => (
            <li key={id}>
              <span>attempt {attempt}</span>
              <span class="breaks">
                {message}
                {stage !== null && <span class="quiet"> in {stage}</span>}
              </span>
              <Ago time={at} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
