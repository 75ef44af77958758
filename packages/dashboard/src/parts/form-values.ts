import { inexactFault, inexactNumberIn } from '../../../pawl/src/core/exact-number.ts';

/** What a form holds, by the names of its fields. */
export type FormValues = Readonly<Record<string, string>>;

/** Without blanks around. */
export function valuesOf(form: HTMLFormElement): FormValues {
  const entries = [...new FormData(form)].filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, value.trim()]));
}

/** The JSON in a field; an error that a person can act on where it is none. */
export function jsonIn(text: string): unknown {
  const value = valueIn(text);
  const inexact = inexactNumberIn(text);
  if (inexact !== null) throw new Error(inexactFault(inexact.text));
  return value;
}

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`Not valid JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** What stands between commas, which may have blanks inside. */
export function partsIn(text: string | undefined): string[] {
  const parts = (text ?? '').split(',').map((part) => part.trim());
  return [...new Set(parts)].filter((part) => part !== '');
}

/** Words between commas; undefined where there are none. */
export function wordsIn(text: string | undefined): string[] | undefined {
  const words = (text ?? '').split(/[\s,]+/).filter((word) => word !== '');
  return words.length === 0 ? undefined : words;
}
