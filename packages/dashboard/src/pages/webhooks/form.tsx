import { useSignal } from '@preact/signals';
import type { WebhookJson } from '../../../../pawl/src/contract/webhook.ts';
import { send } from '../../api.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { valuesOf, wordsIn } from '../../parts/form-values.ts';
import { ProblemBox } from '../../parts/notice.tsx';
import type { MadeSecret } from './secret.tsx';

interface Given {
  readonly onClose: () => void;
  readonly onMade: (made: MadeSecret) => void;
}

/** Adds an address that is told what happens to jobs. */
export function WebhookForm({ onClose, onMade }: Given) {
  const error = useSignal<Error | null>(null);
  const save = async (form: HTMLFormElement, close: () => void): Promise<void> => {
    const { url = '', description = '', types, events } = valuesOf(form);
    const body = {
      url,
      description: description === '' ? null : description,
      types: wordsIn(types) ?? null,
      ...(wordsIn(events) === undefined ? {} : { events: wordsIn(events) }),
    };
    try {
      const made = await send<WebhookJson & MadeSecret>('POST', './v1/webhooks', body);
      close();
      onMade({ url: made.url, secret: made.secret });
    } catch (fault) {
      error.value = fault as Error;
    }
  };
  return (
    <Dialog title="New webhook" onClose={onClose}>
      {(close) => (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void save(event.currentTarget, close);
          }}
        >
          {error.value !== null && <ProblemBox error={error.value} />}
          <Field title="Address">
            <input name="url" type="url" required autofocus placeholder="https://…" />
          </Field>
          <Field title="What it is for">
            <input name="description" />
          </Field>
          <Field title="Events" hint="such as job_succeeded, job_failed; left empty: all ends">
            <input name="events" />
          </Field>
          <Field title="Types of jobs" hint="by commas; left empty: all">
            <input name="types" />
          </Field>
          <div class="row">
            <button class="main">Add</button>
            <button type="button" onClick={close}>
              Leave it
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
