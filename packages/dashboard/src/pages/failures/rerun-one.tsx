import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { read, send } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { type FormValues, jsonIn } from '../../parts/form-values.ts';
import { say } from '../../parts/notice.tsx';
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
  const before = useLoaded(() => inputOf(job), [job.id]);
  const rerun = async ({ input, keep }: FormValues): Promise<void> => {
    const text = before.value.value?.text ?? null;
    const given = input ?? text;
    const changed = given === null || given === text ? {} : { input: jsonIn(given) };
    const body = keep === undefined ? changed : { ...changed, keep: true };
    const made = await send<JobJson>('POST', `./v1/jobs/${job.id}/rerun`, body);
    say('Running again as a new job');
    go(hrefOf(['jobs', made.id]));
  };
  const intro = (
    <>
      {job.error !== null && (
        <div class="problem">
          <b>{job.error.code}</b> <span class="breaks">{job.error.message}</span>
        </div>
      )}
      <p>A new job is created with this one as its parent. This one stays as it is.</p>
    </>
  );
  return (
    <FormDialog
      title={`Run this ${job.type} again`}
      action="Run again"
      onSend={rerun}
      onClose={onClose}
      intro={intro}
    >
      <Shown of={before}>
        {({ text }) =>
          text === null ? (
            <p class="quiet">The new job gets the same input.</p>
          ) : (
            <Field title="Input of the new job">
              <textarea name="input" spellcheck={false} defaultValue={text} />
            </Field>
          )
        }
      </Shown>
      <label>
        <input type="checkbox" name="keep" /> Keep the results of finished stages
      </label>
    </FormDialog>
  );
}
