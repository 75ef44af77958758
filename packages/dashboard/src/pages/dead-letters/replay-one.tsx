import { useSignal } from '@preact/signals';
import type { DeadLetterJson } from '../../../../pawl/src/contract/dead-letter.ts';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { send } from '../../api.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { jsonIn, valuesOf } from '../../parts/form-values.ts';
import { ProblemBox, say } from '../../parts/notice.tsx';
import { go, hrefOf } from '../../route.ts';

/** Replays one letter, with its input as it was or as it should have been. */
export function ReplayOne({ letter, onClose }: { letter: DeadLetterJson; onClose: () => void }) {
  const error = useSignal<Error | null>(null);
  const before = JSON.stringify(letter.input, null, 2);
  const replay = async (form: HTMLFormElement, close: () => void): Promise<void> => {
    try {
      const { input = before } = valuesOf(form);
      const body = input === before ? {} : { input: jsonIn(input) };
      const made = await send<JobJson>('POST', `./v1/dlq/${letter.id}/replay`, body);
      close();
      say('Replayed as a new job');
      go(hrefOf(['jobs', made.id]));
    } catch (fault) {
      error.value = fault as Error;
    }
  };
  return (
    <Dialog title={`Replay this ${letter.type}`} onClose={onClose}>
      {(close) => (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void replay(event.currentTarget, close);
          }}
        >
          <div class="problem">
            <b>{letter.lastError.code}</b> {letter.lastError.message}
          </div>
          <p>A new job is made, linked to this one as its parent. This one stays as it is.</p>
          {error.value !== null && <ProblemBox error={error.value} />}
          <Field title="Input of the new job">
            <textarea name="input" spellcheck={false} value={before} />
          </Field>
          <div class="row">
            <button class="main">Replay</button>
            <button type="button" onClick={close}>
              Leave it
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
