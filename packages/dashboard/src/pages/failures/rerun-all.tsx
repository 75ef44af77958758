import { useSignal } from '@preact/signals';
import type { FailureCauseJson } from '../../../../pawl/src/contract/failure.ts';
import { send } from '../../api.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ProblemBox, say } from '../../parts/notice.tsx';

interface Given {
  readonly cause: FailureCauseJson;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

interface Answer {
  readonly results: readonly { readonly status: number }[];
  readonly nextCursor: string | null;
}

/** Request after request, until the cause has no more. */
async function rerunAll({ type, fingerprint }: FailureCauseJson): Promise<string> {
  let [made, refused] = [0, 0];
  let cursor: string | null = null;
  do {
    const from: object = cursor === null ? {} : { cursor };
    const body = { filter: { type, fingerprint }, ...from };
    const answer: Answer = await send<Answer>('POST', './v1/jobs/rerun', body);
    const good = answer.results.filter(({ status }) => status < 300).length;
    made += good;
    refused += answer.results.length - good;
    cursor = answer.nextCursor;
  } while (cursor !== null);
  if (made + refused === 0) return 'All of them were run again before';
  return `${made} running again${refused > 0 ? `, ${refused} refused` : ''}`;
}

/** Runs all jobs of a cause again that were not run again yet. */
export function RerunAll({ cause, onClose, onDone }: Given) {
  const error = useSignal<Error | null>(null);
  const isBusy = useSignal(false);
  const rerun = async (close: () => void): Promise<void> => {
    isBusy.value = true;
    try {
      say(await rerunAll(cause));
      close();
      onDone();
    } catch (fault) {
      error.value = fault as Error;
      isBusy.value = false;
    }
  };
  return (
    <Dialog title={`Run failed jobs of ${cause.type} again`} onClose={onClose}>
      {(close) => (
        <>
          <div class="problem">
            <b>{cause.code}</b> <span class="breaks">{cause.message}</span>
          </div>
          {error.value !== null && <ProblemBox error={error.value} />}
          <p>
            A new job is made of each of {cause.count === 1 ? 'this job' : `these ${cause.count}`}{' '}
            that was neither run again nor replayed yet, with the same input.
          </p>
          <div class="row">
            <button class="main" disabled={isBusy.value} onClick={() => void rerun(close)}>
              Run again
            </button>
            <button onClick={close}>Leave it</button>
          </div>
        </>
      )}
    </Dialog>
  );
}
