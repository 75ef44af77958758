import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';

export interface MadeKey {
  readonly name: string;
  readonly key: string;
}

/** A key, shown once. */
export function MadeKeyDialog({ made, onClose }: { made: MadeKey; onClose: () => void }) {
  return (
    <Dialog title={`The key ${made.name}`} onClose={onClose}>
      {(close) => (
        <>
          <p>Copy it now: it is not shown again. Only its hash is stored.</p>
          <Field title="Key">
            <input class="mono" readOnly value={made.key} />
          </Field>
          <div class="row">
            <CopyButton text={made.key} what="Key" />
            <button class="main" onClick={close}>
              Done
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
