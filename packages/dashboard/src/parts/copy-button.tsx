import { say } from './notice.tsx';

/** Puts a text where it can be pasted from, and says so. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied`);
  } catch {
    // Browsers allow it on secure origins only, and where the user has not forbidden it.
    say('The browser blocked copying. Select the text and copy it by hand.');
  }
}

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <button class="copy" aria-label={`Copy: ${what}`} onClick={() => void copyText(text, what)}>
      Copy
    </button>
  );
}
