import { useSignal } from '@preact/signals';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { send } from '../../api.ts';
import { lettersOf } from '../../letters.ts';
import { isSettled, useLoaded } from '../../load.ts';
import { isOwn, seesAll } from '../../me.ts';
import { Action } from '../../parts/action.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { act } from '../../parts/notice.tsx';
import { ReplayOne } from '../dead-letters/replay-one.tsx';
import { RerunOne } from '../failures/rerun-one.tsx';

type Mode = 'soft' | 'hard';

const TERMINAL: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'dead']);

/** What a cancel will do to a job that stands where this one does. */
function consequence({ phase }: JobJson, mode: Mode): string {
  if (phase !== 'leased' && phase !== 'executing') return 'It is not running: it ends at once.';
  return mode === 'soft'
    ? 'The worker is notified at the next heartbeat and stops at a safe point, keeping its checkpoint.'
    : 'The job ends now. Its worker stops at the next heartbeat, and unfinished work is lost.';
}

/** Where nobody works on a job, both ways are the same. */
function modesOf({ phase }: JobJson): readonly Mode[] {
  return phase === 'leased' || phase === 'executing' ? ['soft', 'hard'] : ['soft'];
}

interface Given {
  readonly job: JobJson;
  readonly onDone: () => void;
}

function CancelDialog({ job, onDone, onClose }: Given & { readonly onClose: () => void }) {
  const cancel = async (mode: Mode, close: () => void): Promise<void> => {
    close();
    await act(() => send('POST', `./v1/jobs/${job.id}/cancel`, { mode }), 'Cancellation requested');
    onDone();
  };
  return (
    <Dialog title="Cancel this job?" onClose={onClose}>
      {(close) => (
        <>
          {modesOf(job).map((mode) => (
            <div class="choice" key={mode}>
              <span>{consequence(job, mode)}</span>
              <button class="danger" onClick={() => void cancel(mode, close)}>
                {mode === 'hard' ? 'Cancel now' : 'Cancel job'}
              </button>
            </div>
          ))}
          <button onClick={close}>Close</button>
        </>
      )}
    </Dialog>
  );
}

/** From its dead letter while that waits for it, else from the job itself. */
function RunAgain({ job }: { readonly job: JobJson }) {
  const isBad = job.phase === 'failed' || job.phase === 'dead';
  const isAsking = useSignal(false);
  const found = useLoaded(
    async () => (isBad ? lettersOf([job]).catch(() => []) : []),
    [job.id, isBad],
  );
  const letter = (found.value.value ?? []).find(({ replayedAs }) => replayedAs === null);
  const close = (): void => void (isAsking.value = false);
  if (!isSettled(found)) return null;
  return (
    <>
      <Action
        needs={letter === undefined ? 'jobs:write' : 'dlq:replay'}
        onClick={() => (isAsking.value = true)}
      >
        {letter === undefined ? 'Run again…' : 'Replay…'}
      </Action>
      {isAsking.value && letter === undefined && <RerunOne job={job} onClose={close} />}
      {isAsking.value && letter !== undefined && <ReplayOne letter={letter} onClose={close} />}
    </>
  );
}

/** Cancel, with what will happen; run again for what has ended. */
export function JobActions({ job, onDone }: Given) {
  const isAsking = useSignal(false);
  if (TERMINAL.has(job.phase)) return seesAll() ? <RunAgain job={job} /> : null;
  // A job that is shared can be read.
  if (!isOwn(job)) return null;
  return (
    <>
      <Action needs="jobs:cancel" class="danger" onClick={() => (isAsking.value = true)}>
        Cancel…
      </Action>
      {isAsking.value && (
        <CancelDialog job={job} onDone={onDone} onClose={() => (isAsking.value = false)} />
      )}
    </>
  );
}
