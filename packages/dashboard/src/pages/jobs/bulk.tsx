import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { send } from '../../api.ts';
import { lettersOf } from '../../letters.ts';
import { say } from '../../parts/notice.tsx';

interface Answer {
  readonly results: readonly { readonly status: number }[];
}

interface Given {
  readonly jobs: readonly JobJson[];
  readonly onDone: () => void;
}

const ENDED: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'dead']);
const PER_SECOND = 10;

function doneIn({ results }: Answer): number {
  return results.filter(({ status }) => status < 300).length;
}

async function cancel(jobs: readonly JobJson[]): Promise<string> {
  const ids = jobs.map(({ id }) => id);
  const done = doneIn(await send<Answer>('POST', './v1/jobs/cancel', { ids }));
  return done === ids.length
    ? `Asked ${done} to stop`
    : `${done} of ${ids.length} could be stopped`;
}

/** Those with a dead letter that waits for it are replayed from it, so that it is settled too. */
async function runAgain(jobs: readonly JobJson[]): Promise<string> {
  const bad = jobs.filter(({ phase }) => phase === 'failed' || phase === 'dead');
  const letters = (await lettersOf(bad).catch(() => [])).filter(
    ({ replayedAs }) => replayedAs === null,
  );
  const replayed = new Set(letters.map(({ jobId }) => jobId));
  const ids = jobs.map(({ id }) => id).filter((id) => !replayed.has(id));
  const replays = { ids: letters.map(({ id }) => id), perSecond: PER_SECOND };
  const done =
    (letters.length === 0 ? 0 : doneIn(await send<Answer>('POST', './v1/dlq/replay', replays))) +
    (ids.length === 0 ? 0 : doneIn(await send<Answer>('POST', './v1/jobs/rerun', { ids })));
  return done === jobs.length
    ? `${done} running again`
    : `${done} of ${jobs.length} could be run again`;
}

/** What can be asked of the chosen jobs at once. */
export function Bulk({ jobs, onDone }: Given) {
  const living = jobs.filter(({ phase }) => !ENDED.has(phase));
  const ended = jobs.filter(({ phase }) => ENDED.has(phase));
  const run = async (work: () => Promise<string>): Promise<void> => {
    say(await work().catch((error: Error) => error.message));
    onDone();
  };
  return (
    <>
      {living.length > 0 && (
        <button class="danger" onClick={() => void run(() => cancel(living))}>
          Cancel {living.length}
        </button>
      )}
      {ended.length > 0 && (
        <button onClick={() => void run(() => runAgain(ended))}>Run {ended.length} again</button>
      )}
    </>
  );
}
