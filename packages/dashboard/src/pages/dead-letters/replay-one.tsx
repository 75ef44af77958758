import type { DeadLetterJson } from '../../../../pawl/src/contract/dead-letter.ts';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { send } from '../../api.ts';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { type FormValues, jsonIn } from '../../parts/form-values.ts';
import { say } from '../../parts/notice.tsx';
import { go, hrefOf } from '../../route.ts';

/** Replays one letter, with its input as it was or as it should have been. */
export function ReplayOne({ letter, onClose }: { letter: DeadLetterJson; onClose: () => void }) {
  const before = JSON.stringify(letter.input, null, 2);
  const replay = async ({ input = before }: FormValues): Promise<void> => {
    const body = input === before ? {} : { input: jsonIn(input) };
    const made = await send<JobJson>('POST', `./v1/dlq/${letter.id}/replay`, body);
    say('Replayed as a new job');
    go(hrefOf(['jobs', made.id]));
  };
  const intro = (
    <>
      <div class="problem">
        <b>{letter.lastError.code}</b> {letter.lastError.message}
      </div>
      <p>A new job is created with this one as its parent. This one stays as it is.</p>
    </>
  );
  return (
    <FormDialog
      title={`Replay this ${letter.type}`}
      action="Replay"
      onSend={replay}
      onClose={onClose}
      intro={intro}
    >
      <Field title="Input of the new job">
        <textarea name="input" spellcheck={false} defaultValue={before} />
      </Field>
    </FormDialog>
  );
}
