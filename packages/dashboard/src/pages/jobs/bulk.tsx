import { useSignal } from '@preact/signals';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { send } from '../../api.ts';
import { lettersOf } from '../../letters.ts';
import { useLoaded } from '../../load.ts';
import { Action } from '../../parts/action.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { JobLink } from '../../parts/job-link.tsx';
import { say } from '../../parts/notice.tsx';
import { Shown } from '../../parts/shown.tsx';
import { StateChip } from '../../parts/state-chip.tsx';

interface Answer {
  readonly results: readonly { readonly status: number }[];
}

interface Given {
  readonly jobs: readonly JobJson[];
  readonly onDone: () => void;
}

interface AskGiven extends Given {
  readonly onClose: () => void;
}

const ENDED: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'dead']);
const PER_SECOND = 10;
const SAMPLE = 5;

function doneIn({ results }: Answer): number {
  return results.filter(({ status }) => status < 300).length;
}

function Sample({ jobs }: { readonly jobs: readonly JobJson[] }) {
  return (
    <>
      <ul class="lines">
        {jobs.slice(0, SAMPLE).map((job) => (
          <li key={job.id}>
            <JobLink id={job.id} />
            <span class="breaks">{job.type}</span>
            <StateChip job={job} />
          </li>
        ))}
      </ul>
      {jobs.length > SAMPLE && <p class="quiet">and {jobs.length - SAMPLE} more</p>}
    </>
  );
}

/** What becomes of the jobs, as they stand in the list. */
function CancelNotes({ jobs }: { readonly jobs: readonly JobJson[] }) {
  const running = jobs.filter(({ phase }) => phase === 'leased' || phase === 'executing').length;
  const others = jobs.length - running;
  return (
    <ul>
      {others > 0 && <li>{others} not running: cancelled at once.</li>}
      {running > 0 && <li>{running} in flight: asked to stop with the next heartbeat.</li>}
    </ul>
  );
}

function CancelChosen({ jobs, onDone, onClose }: AskGiven) {
  const ids = jobs.map(({ id }) => id);
  const cancel = async (): Promise<void> => {
    const done = doneIn(await send<Answer>('POST', './v1/jobs/cancel', { ids }));
    say(
      done === ids.length
        ? `${done} cancelled or asked to stop`
        : `${done} of ${ids.length} could be cancelled`,
    );
    onDone();
  };
  return (
    <Confirm
      title={`Cancel ${ids.length === 1 ? 'this job' : `these ${ids.length} jobs`}?`}
      action={ids.length === 1 ? 'Cancel 1 job' : `Cancel ${ids.length} jobs`}
      isDanger
      onConfirm={cancel}
      onClose={onClose}
    >
      <CancelNotes jobs={jobs} />
      <Sample jobs={jobs} />
    </Confirm>
  );
}

/** Those with a dead letter that waits for it are replayed from it, so that it is settled too. */
async function openLetters(jobs: readonly JobJson[]): Promise<ReadonlyMap<string, string>> {
  const bad = jobs.filter(({ phase }) => phase === 'failed' || phase === 'dead');
  const letters = await lettersOf(bad).catch(() => []);
  const open = letters.filter(({ replayedAs }) => replayedAs === null);
  return new Map(open.map(({ jobId, id }) => [jobId, id]));
}

async function runAgain(
  jobs: readonly JobJson[],
  letters: ReadonlyMap<string, string>,
): Promise<string> {
  const ids = jobs.map(({ id }) => id).filter((id) => !letters.has(id));
  const replays = { ids: [...letters.values()], perSecond: PER_SECOND };
  const done =
    (letters.size === 0 ? 0 : doneIn(await send<Answer>('POST', './v1/dlq/replay', replays))) +
    (ids.length === 0 ? 0 : doneIn(await send<Answer>('POST', './v1/jobs/rerun', { ids })));
  return done === jobs.length
    ? `${done} running again`
    : `${done} of ${jobs.length} could be run again`;
}

function RerunChosen({ jobs, onDone, onClose }: AskGiven) {
  const letters = useLoaded(() => openLetters(jobs), [jobs.map(({ id }) => id).join()]);
  const run = async (): Promise<void> => {
    say(await runAgain(jobs, letters.value.value ?? new Map()));
    onDone();
  };
  return (
    <Confirm
      title={`Run ${jobs.length === 1 ? 'this job' : `these ${jobs.length} jobs`} again?`}
      action="Run again"
      isKnown={letters.value.value !== null}
      onConfirm={run}
      onClose={onClose}
    >
      <p>
        {jobs.length === 1 ? 'A new job is created' : `${jobs.length} new jobs are created`} with
        the same inputs. The original jobs stay as they are.
      </p>
      <Shown of={letters}>
        {(found) =>
          found.size > 0 && <p class="quiet">{found.size} are replayed from their dead letters.</p>
        }
      </Shown>
      <Sample jobs={jobs} />
    </Confirm>
  );
}

/** What can be asked of the chosen jobs at once. */
export function Bulk({ jobs, onDone }: Given) {
  const living = jobs.filter(({ phase }) => !ENDED.has(phase));
  const ended = jobs.filter(({ phase }) => ENDED.has(phase));
  const asked = useSignal<'cancel' | 'rerun' | null>(null);
  const close = (): void => {
    asked.value = null;
  };
  return (
    <>
      {living.length > 0 && (
        <Action needs="jobs:cancel" class="danger" onClick={() => (asked.value = 'cancel')}>
          Cancel {living.length}…
        </Action>
      )}
      {ended.length > 0 && (
        <Action needs="jobs:write" onClick={() => (asked.value = 'rerun')}>
          Run {ended.length} again…
        </Action>
      )}
      {asked.value === 'cancel' && <CancelChosen jobs={living} onDone={onDone} onClose={close} />}
      {asked.value === 'rerun' && <RerunChosen jobs={ended} onDone={onDone} onClose={close} />}
    </>
  );
}
