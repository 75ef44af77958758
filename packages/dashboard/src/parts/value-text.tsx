import { useSignal } from '@preact/signals';
import { CopyButton } from './copy-button.tsx';
import { sizeText } from './size-text.ts';

/** So much of a text is drawn at first: a page must not stand still for one large value. */
const LETTERS_SHOWN = 8_000;

interface Given {
  readonly text: string;
  /** What it is: for the copy button and for readers of the page. */
  readonly what: string;
}

/** A text of anybody's, as text, with a way to take it along. */
export function ValueText({ text, what }: Given) {
  const isWhole = useSignal(false);
  const isLong = text.length > LETTERS_SHOWN;
  const shown = isWhole.value || !isLong ? text : `${text.slice(0, LETTERS_SHOWN)}…`;
  return (
    <div class="value">
      <CopyButton text={text} what={what} />
      <pre tabIndex={0} aria-label={what}>
        {shown}
      </pre>
      {isLong && (
        <button class="plain" onClick={() => (isWhole.value = !isWhole.value)}>
          {isWhole.value ? 'Show less' : `Show all ${sizeText(text.length)}`}
        </button>
      )}
    </div>
  );
}
