import type { JobJson } from '../../../../src/http/schema/job.ts';
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

async function replay(jobs: readonly JobJson[]): Promise<string> {
  const ids = (await lettersOf(jobs)).map(({ id }) => id);
  if (ids.length === 0) return 'None of them left a dead letter, so none can be replayed';
  const body = { ids, perSecond: PER_SECOND };
  return `${doneIn(await send<Answer>('POST', './v1/dlq/replay', body))} replayed`;
}

/** What can be asked of the chosen jobs at once. */
export function Bulk({ jobs, onDone }: Given) {
  const living = jobs.filter(({ phase }) => !ENDED.has(phase));
  const failed = jobs.filter(({ phase }) => phase === 'failed' || phase === 'dead');
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
      {failed.length > 0 && (
        <button onClick={() => void run(() => replay(failed))}>Replay {failed.length}</button>
      )}
    </>
  );
}
