import { useRef } from 'preact/hooks';
import type { Page } from '../../page.ts';
import type { DeadLetterJson } from '../../../../src/http/schema/dead-letter.ts';
import type { JobJson } from '../../../../src/http/schema/job.ts';
import { get, send } from '../../api.ts';
import { act } from '../../parts/notice.tsx';
import { go, hrefOf } from '../../route.ts';

const TERMINAL: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'dead']);

/** What a cancel will do to a job that stands where this one does. */
function consequence({ phase }: JobJson, mode: 'soft' | 'hard'): string {
  if (phase !== 'leased' && phase !== 'executing') return 'Nobody works on it: it ends at once.';
  return mode === 'soft'
    ? 'Its worker is told at the next heartbeat and stops at a safe point, keeping its checkpoint.'
    : 'Its worker ends the handler at once; what was half done is thrown away.';
}

async function replay(job: JobJson): Promise<void> {
  const letters = await get<Page<DeadLetterJson>>('./v1/dlq', { type: job.type, limit: 200 });
  const letter = letters.items.find(({ jobId }) => jobId === job.id);
  if (letter === undefined) throw new Error('It has no dead letter to replay');
  const made = await send<JobJson>('POST', `./v1/dlq/${letter.id}/replay`, {});
  go(hrefOf(['jobs', made.id]));
}

/** Cancel, with what will happen; replay for what ended badly. */
export function JobActions({ job, onDone }: { job: JobJson; onDone: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const cancel = async (mode: 'soft' | 'hard'): Promise<void> => {
    dialog.current?.close();
    await act(() => send('POST', `./v1/jobs/${job.id}/cancel`, { mode }), 'Asked to stop');
    onDone();
  };
  if (job.phase === 'failed' || job.phase === 'dead') {
    return (
      <button onClick={() => void act(() => replay(job), 'Replayed as a new job')}>Replay</button>
    );
  }
  if (TERMINAL.has(job.phase)) return null;
  return (
    <>
      <button class="danger" onClick={() => dialog.current?.showModal()}>
        Cancel…
      </button>
      <dialog ref={dialog} aria-label="Cancel this job">
        <form method="dialog">
          <h1>Cancel this job?</h1>
          {(['soft', 'hard'] as const).map((mode) => (
            <div class="head" key={mode}>
              <span style={{ flex: 1 }}>{consequence(job, mode)}</span>
              <button type="button" class="danger" onClick={() => void cancel(mode)}>
                {mode === 'soft' ? 'Stop gently' : 'End it now'}
              </button>
            </div>
          ))}
          <button>Let it go on</button>
        </form>
      </dialog>
    </>
  );
}
