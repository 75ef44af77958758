import { copyText } from './copy-button.tsx';
import { Icon } from './icon.tsx';

/** An id that a click copies. */
export function IdText({ id, what }: { readonly id: string; readonly what: string }) {
  return (
    <button class="plain id" title="Copy" onClick={() => void copyText(id, what)}>
      <code class="breaks">{id}</code> <Icon name="copy" />
    </button>
  );
}
