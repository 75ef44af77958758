import { useSignal } from '@preact/signals';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import type { TypeJson } from '../../../../pawl/src/contract/type.ts';
import { send } from '../../api.ts';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { type FormValues, jsonIn } from '../../parts/form-values.ts';
import { say } from '../../parts/notice.tsx';
import { go, hrefOf } from '../../route.ts';
import { fieldsOf, inputOf, type SchemaField } from './schema-fields.ts';

const PREFIX = 'input.';

function Control({ field }: { readonly field: SchemaField }) {
  const { name, kind, choices, isRequired, initial } = field;
  const own = { name: `${PREFIX}${name}`, required: isRequired };
  if (kind === 'choice' || kind === 'boolean') {
    return (
      <select {...own}>
        {!isRequired && <option value="">not set</option>}
        {choices.map((choice) => (
          <option key={choice} selected={choice === initial}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  if (kind === 'json') return <textarea {...own} spellcheck={false} defaultValue={initial} />;
  if (kind === 'string') return <input {...own} defaultValue={initial} />;
  return (
    <input {...own} type="number" step={kind === 'integer' ? 1 : 'any'} defaultValue={initial} />
  );
}

function InputFields({ fields }: { readonly fields: readonly SchemaField[] }) {
  return (
    <>
      {fields.map((field) => (
        <Field
          key={field.name}
          title={`${field.name}${field.isRequired ? '' : ' (optional)'}`}
          {...(field.hint === '' ? {} : { hint: field.hint })}
        >
          <Control field={field} />
        </Field>
      ))}
    </>
  );
}

interface Given {
  readonly type: TypeJson;
  readonly onClose: () => void;
}

/** Makes a job of a type: field by field where its schema says them, else as JSON. */
export function EnqueueForm({ type, onClose }: Given) {
  const fields = fieldsOf(type.inputSchema);
  const isRaw = useSignal(fields === null);
  const make = async (values: FormValues): Promise<void> => {
    const input =
      isRaw.value || fields === null
        ? jsonIn(values['raw'] ?? 'null')
        : inputOf(fields, (name) => values[`${PREFIX}${name}`] ?? '');
    const { queue = '', documentId = '' } = values;
    const job = await send<JobJson>('POST', './v1/jobs', {
      type: type.type,
      ...(type.inputSchema === false ? {} : { input }),
      ...(queue === '' ? {} : { queue }),
      ...(documentId === '' ? {} : { documentId }),
    });
    say('Enqueued');
    go(hrefOf(['jobs', job.id]));
  };
  const hasInput = type.inputSchema !== false;
  return (
    <FormDialog
      title={`Enqueue ${type.type}`}
      action="Enqueue"
      onSend={make}
      onClose={onClose}
      intro={
        fields !== null &&
        fields.length > 0 && (
          <label class="quiet">
            <input
              type="checkbox"
              checked={isRaw.value}
              onChange={() => (isRaw.value = !isRaw.value)}
            />{' '}
            write the input as JSON
          </label>
        )
      }
    >
      {hasInput && !isRaw.value && fields !== null && <InputFields fields={fields} />}
      {hasInput && isRaw.value && (
        <Field title="Input, as JSON">
          <textarea name="raw" spellcheck={false} defaultValue="{}" autofocus />
        </Field>
      )}
      <Field title="Queue" hint="empty: that of the type">
        <input name="queue" />
      </Field>
      <Field title="Document" hint="what the job is about; optional">
        <input name="documentId" />
      </Field>
    </FormDialog>
  );
}
