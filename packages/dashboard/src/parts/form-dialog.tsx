import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Dialog } from './dialog.tsx';
import { type FormValues, valuesOf } from './form-values.ts';
import { ProblemBox } from './notice.tsx';

interface Given {
  readonly title: string;
  /** What the button that sends the form says. */
  readonly action: string;
  /** Sends what was filled in; what it throws is shown, and the form stays open. */
  readonly onSend: (values: FormValues) => Promise<void>;
  readonly onClose: () => void;
  /** Above what went wrong and the fields. */
  readonly intro?: ComponentChildren;
  readonly children: ComponentChildren;
}

/**
 * A form in front of the page. Its fields begin with a `defaultValue`: the page behind it is live,
 * and a `value` would replace what a person has typed whenever the page is drawn again.
 */
export function FormDialog({ title, action, onSend, onClose, intro, children }: Given) {
  const error = useSignal<Error | null>(null);
  const submit = async (form: HTMLFormElement, close: () => void): Promise<void> => {
    try {
      await onSend(valuesOf(form));
      close();
    } catch (fault) {
      error.value = fault as Error;
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {(close) => (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void submit(event.currentTarget, close);
          }}
        >
          {intro}
          {error.value !== null && <ProblemBox error={error.value} />}
          {children}
          <div class="row">
            <button class="main">{action}</button>
            <button type="button" onClick={close}>
              Cancel
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
