import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Dialog } from './dialog.tsx';
import { ProblemBox } from './notice.tsx';

interface Given {
  readonly title: string;
  /** What the button that does it says. */
  readonly action: string;
  readonly isDanger?: boolean;
  /** What it will do: nothing can be confirmed before that is known. */
  readonly isKnown?: boolean;
  /** Does it; what it throws is shown, and the dialog stays open. */
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Asks before something is done, with what it will do. */
export function Confirm({
  title,
  action,
  isDanger = false,
  isKnown = true,
  onConfirm,
  onClose,
  children,
}: Given) {
  const error = useSignal<Error | null>(null);
  const isBusy = useSignal(false);
  const run = async (close: () => void): Promise<void> => {
    isBusy.value = true;
    try {
      await onConfirm();
      close();
    } catch (fault) {
      error.value = fault as Error;
      isBusy.value = false;
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {(close) => (
        <>
          {error.value !== null && <ProblemBox error={error.value} />}
          {children}
          <div class="row">
            <button
              class={isDanger ? 'danger' : 'main'}
              disabled={isBusy.value || !isKnown}
              onClick={() => void run(close)}
            >
              {action}
            </button>
            {/* Beside "Cancel job" it would be the wrong word. */}
            <button onClick={close}>{action.startsWith('Cancel') ? 'Close' : 'Cancel'}</button>
          </div>
        </>
      )}
    </Dialog>
  );
}
