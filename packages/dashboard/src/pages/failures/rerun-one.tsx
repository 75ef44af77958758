import { useSignal } from '@preact/signals';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { read, send } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { jsonIn, valuesOf } from '../../parts/form-values.ts';
import { ProblemBox, say } from '../../parts/notice.tsx';
import { Shown } from '../../parts/shown.tsx';
import { go, hrefOf } from '../../route.ts';

const REFERENCE = /^\{"\$artifact":"[0-9a-f-]{36}"\}$/;

/** The input as text; null where there is none that a person could change. */
interface Before {
  readonly text: string | null;
}

async function inputOf({ id }: JobJson): Promise<Before> {
  const { body, headers } = await read(`./v1/jobs/${id}/input`);
  const isSealed = headers.get('pawl-sealed') === 'true';
  const isElsewhere = REFERENCE.test(JSON.stringify(body));
  const isEditable = body !== null && !isSealed && !isElsewhere;
  return { text: isEditable ? JSON.stringify(body, null, 2) : null };
}

interface Given {
  readonly job: JobJson;
  readonly onClose: () => void;
}

/** Runs one job again, with its input as it was or as it should have been. */
export function RerunOne({ job, onClose }: Given) {
  const error = useSignal<Error | null>(null);
  const before = useLoaded(() => inputOf(job), [job.id]);
  const rerun = async (form: HTMLFormElement, close: () => void): Promise<void> => {
    try {
      const text = before.value.value?.text ?? null;
      const { input = text } = valuesOf(form);
      const body = input === null || input === text ? {} : { input: jsonIn(input) };
      const made = await send<JobJson>('POST', `./v1/jobs/${job.id}/rerun`, body);
      close();
      say('Running again as a new job');
      go(hrefOf(['jobs', made.id]));
    } catch (fault) {
      error.value = fault as Error;
    }
  };
  return (
    <Dialog title={`Run this ${job.type} again`} onClose={onClose}>
      {(close) => (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void rerun(event.currentTarget, close);
          }}
        >
          {job.error !== null && (
            <div class="problem">
              <b>{job.error.code}</b> <span class="breaks">{job.error.message}</span>
            </div>
          )}
          <p>A new job is made, linked to this one as its parent. This one stays as it is.</p>
          {error.value !== null && <ProblemBox error={error.value} />}
          <Shown of={before}>
            {({ text }) =>
              text === null ? (
                <p class="quiet">It gets the input of this one, as it is.</p>
              ) : (
                <Field title="Input of the new job">
                  <textarea name="input" spellcheck={false} value={text} />
                </Field>
              )
            }
          </Shown>
          <div class="row">
            <button class="main">Run again</button>
            <button type="button" onClick={close}>
              Leave it
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
