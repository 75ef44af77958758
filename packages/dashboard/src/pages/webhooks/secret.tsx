import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';

export interface MadeSecret {
  readonly url: string;
  readonly secret: string;
}

/** The secret of a webhook, which the server shows this once. */
export function SecretDialog({ made, onClose }: { made: MadeSecret; onClose: () => void }) {
  return (
    <Dialog title="The secret of this webhook" onClose={onClose}>
      {(close) => (
        <>
          <p>
            Give it to the receiver at <code>{made.url}</code>, which checks the signatures with it.
            It is shown now and never again.
          </p>
          <Field title="Secret">
            <input class="mono" readOnly value={made.secret} onFocus={selectAll} />
          </Field>
          <button class="main" onClick={close}>
            Done
          </button>
        </>
      )}
    </Dialog>
  );
}

function selectAll(event: FocusEvent): void {
  (event.currentTarget as HTMLInputElement).select();
}
