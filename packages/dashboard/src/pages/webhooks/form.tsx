import type { WebhookJson } from '../../../../pawl/src/contract/webhook.ts';
import { send } from '../../api.ts';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { type FormValues, wordsIn } from '../../parts/form-values.ts';
import type { MadeSecret } from './secret.tsx';

interface Given {
  readonly onClose: () => void;
  readonly onMade: (made: MadeSecret) => void;
}

/** Adds an address that is told what happens to jobs. */
export function WebhookForm({ onClose, onMade }: Given) {
  const save = async ({ url = '', description = '', types, events }: FormValues): Promise<void> => {
    const body = {
      url,
      description: description === '' ? null : description,
      types: wordsIn(types) ?? null,
      ...(wordsIn(events) === undefined ? {} : { events: wordsIn(events) }),
    };
    const made = await send<WebhookJson & MadeSecret>('POST', './v1/webhooks', body);
    onMade({ url: made.url, secret: made.secret });
  };
  return (
    <FormDialog title="New webhook" action="Add" onSend={save} onClose={onClose}>
      <Field title="Address">
        <input name="url" type="url" required autofocus placeholder="https://…" />
      </Field>
      <Field title="Description">
        <input name="description" />
      </Field>
      <Field title="Events" hint="such as job_succeeded, job_failed; empty: all ends">
        <input name="events" />
      </Field>
      <Field title="Job types" hint="comma-separated; empty: all">
        <input name="types" />
      </Field>
    </FormDialog>
  );
}
