import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import {
  controlName,
  fieldsOf,
  type FormField,
  type MessageSchema,
  valueIn,
} from '../../../../pawl/src/contract/message-form.ts';
import { send } from '../../api.ts';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { type FormValues, jsonIn } from '../../parts/form-values.ts';
import { say } from '../../parts/notice.tsx';

interface Given {
  readonly job: JobJson;
  readonly name: string;
  /** What the message should look like, where that is known. */
  readonly schema: MessageSchema | null;
  readonly onClose: () => void;
}

function Control({ field }: { readonly field: FormField }) {
  const { kind, isRequired, choices } = field;
  const name = controlName(field);
  switch (kind) {
    case 'boolean':
      return <input type="checkbox" name={name} value="true" />;
    case 'number':
      return <input type="number" step="any" name={name} required={isRequired} />;
    case 'text':
      return <input name={name} required={isRequired} />;
    case 'choice':
      return (
        <select name={name} required={isRequired}>
          {!isRequired && <option value="" />}
          {choices.map((choice) => {
            const json = JSON.stringify(choice);
            return (
              <option key={json} value={json}>
                {typeof choice === 'string' ? choice : json}
              </option>
            );
          })}
        </select>
      );
    default:
      return <textarea name={name} spellcheck={false} required={isRequired} />;
  }
}

/** The fields that the receiver's schema asks for. */
function Fields({ schema }: { readonly schema: MessageSchema }) {
  return (
    <>
      {fieldsOf(schema).map((field) => (
        <Field
          key={field.name}
          title={field.title}
          {...(field.hint === '' ? {} : { hint: field.hint })}
        >
          <Control field={field} />
        </Field>
      ))}
    </>
  );
}

function payloadOf(schema: MessageSchema | null, values: FormValues): unknown {
  if (schema === null) return jsonIn(values['payload'] ?? 'null');
  const read = valueIn(schema, new Map(Object.entries(values)));
  if ('value' in read) return read.value;
  throw new Error(read.faults.map(({ title, message }) => `${title} ${message}`).join('; '));
}

/** A form for a message, made of the schema of who receives it, or for JSON. */
export function MessageDialog({ job, name, schema, onClose }: Given) {
  const submit = async (values: FormValues): Promise<void> => {
    const to = values['name'] ?? name;
    const payload = payloadOf(schema, values);
    await send('POST', `./v1/jobs/${job.id}/messages`, { name: to, payload });
    say('Sent');
  };
  return (
    <FormDialog title="Send a message" action="Send" onSend={submit} onClose={onClose}>
      <Field title="Name">
        <input name="name" defaultValue={name} required />
      </Field>
      {schema === null ? (
        <Field title="Value" hint="JSON; validated by the receiver">
          <textarea name="payload" spellcheck={false} defaultValue="{}" />
        </Field>
      ) : (
        <Fields schema={schema} />
      )}
    </FormDialog>
  );
}
