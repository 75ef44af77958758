import { useSignal } from '@preact/signals';
import type { FailureCauseJson } from '../../../../pawl/src/contract/failure.ts';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import type { Page } from '../../page.ts';
import { Action } from '../../parts/action.tsx';
import { Ago } from '../../parts/ago.tsx';
import { JobLink } from '../../parts/job-link.tsx';
import { Prose } from '../../parts/prose.tsx';
import { Shown } from '../../parts/shown.tsx';
import { StateChip } from '../../parts/state-chip.tsx';
import { hrefOf } from '../../route.ts';
import { CauseDetail } from './cause-detail.tsx';
import { RerunOne } from './rerun-one.tsx';

const SHOWN = 8;

interface Given {
  readonly cause: FailureCauseJson;
  readonly onRerunAll: () => void;
  readonly onIgnore: () => void;
}

function Times({ cause: { count, firstSeen, lastSeen } }: { readonly cause: FailureCauseJson }) {
  if (count === 1) return <Ago time={lastSeen} />;
  return (
    <>
      last <Ago time={lastSeen} />, first <Ago time={firstSeen} />
    </>
  );
}

function Letters({ cause }: { readonly cause: FailureCauseJson }) {
  const { deadLetters, fingerprint } = cause;
  if (deadLetters === 0) return <>no dead letter</>;
  const href = hrefOf(['dead-letters'], { fingerprint, replayed: 'too' });
  return (
    <a href={href}>
      {deadLetters} {deadLetters === 1 ? 'dead letter' : 'dead letters'}
    </a>
  );
}

function JobRow({ job, onRerun }: { readonly job: JobJson; readonly onRerun: () => void }) {
  return (
    <tr>
      <td>
        <JobLink id={job.id} />
      </td>
      <td>
        <StateChip job={job} />
      </td>
      <td class="number wide-only">{job.attempts}</td>
      <td>
        <Ago time={job.completedAt ?? job.updatedAt} />
      </td>
      <td class="grow clip quiet wide-only">{job.error?.message}</td>
      <td class="act">
        <Action needs="jobs:write" onClick={onRerun}>
          Run again…
        </Action>
      </td>
    </tr>
  );
}

/** The latest jobs of a cause; asked for when somebody wants to see them. */
function Jobs({ cause }: { readonly cause: FailureCauseJson }) {
  const { fingerprint, type, count } = cause;
  const chosen = useSignal<JobJson | null>(null);
  const page = useLoaded(
    () => get<Page<JobJson>>('./v1/failures/jobs', { fingerprint, type, limit: SHOWN }),
    [fingerprint, count],
  );
  return (
    <Shown of={page}>
      {({ items }) => (
        <>
          <div class="scroll">
            <table class="rows">
              <thead>
                <tr>
                  <th>Job</th>
                  <th>State</th>
                  <th class="number wide-only">Attempts</th>
                  <th>Ended</th>
                  <th class="wide-only">Message</th>
                  <th>
                    <span class="unseen">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {items.map((job) => (
                  <JobRow key={job.id} job={job} onRerun={() => (chosen.value = job)} />
                ))}
              </tbody>
            </table>
          </div>
          {count > items.length && <span class="quiet">and {count - items.length} older</span>}
          {chosen.value !== null && (
            <RerunOne job={chosen.value} onClose={() => (chosen.value = null)} />
          )}
        </>
      )}
    </Shown>
  );
}

/** One cause: what broke, why, the jobs that it ended, and what can be done about all of them. */
export function CauseCard({ cause, onRerunAll, onIgnore }: Given) {
  const isOpen = useSignal(false);
  const { type, count, message, hint, code, isIgnored = false } = cause;
  return (
    <section class="card" aria-label={`${cause.class} in ${type}: ${message}`}>
      <div class="head">
        <div class="spread">
          <b class="bad">{cause.class}</b> in <a href={hrefOf(['jobs'], { type })}>{type}</a> ·{' '}
          {count === 1 ? 'once' : `${count} times`} · <Times cause={cause} /> ·{' '}
          <Letters cause={cause} />
          <div class="breaks">
            <code>{code}</code> {message}
          </div>
          {hint !== null && (
            <div class="quiet breaks">
              <Prose text={hint} />
            </div>
          )}
        </div>
        <div class="row">
          <Action needs="jobs:operate" onClick={onRerunAll}>
            {count === 1 ? 'Run it again…' : 'Run all again…'}
          </Action>
          <Action
            needs="jobs:operate"
            onClick={onIgnore}
            title="Hides this cause until it happens again. Its jobs stay as they are."
          >
            {isIgnored ? 'Stop ignoring' : 'Ignore'}
          </Action>
        </div>
      </div>
      <details class="more" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
        <summary>{count === 1 ? 'Details and job' : 'Details and jobs'}</summary>
        {isOpen.value && (
          <>
            <CauseDetail cause={cause} />
            <Jobs cause={cause} />
          </>
        )}
      </details>
    </section>
  );
}
