import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Deck } from '../deck/deck.ts';
import { refuse } from './refusal.ts';

/** What an export job is asked to do; the deck itself is checked on its own. */
export const ExportInputSchema = Type.Object(
  {
    format: Type.Enum(['pptx', 'pdf']),
    deckRef: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
        description: 'The `deckRef` of a convert job.',
      }),
    ),
    deck: Type.Optional(Type.Unknown({ description: 'The deck itself.' })),
    fileName: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    strict: Type.Optional(
      Type.Boolean({ description: 'Whether to fail where anything of the deck would be dropped.' }),
    ),
    withNotes: Type.Optional(
      Type.Boolean({ description: 'Whether speaker notes go into a PDF; not unless asked for.' }),
    ),
  },
  { additionalProperties: false },
);

export interface ExportInput extends Omit<Static<typeof ExportInputSchema>, 'deck'> {
  readonly deck?: Deck;
}

const compiled = Compile(ExportInputSchema);

/** The input, or EXPORT_INVALID_INPUT with all that is wrong. */
export function checkInput(input: unknown): ExportInput {
  if (!compiled.Check(input)) {
    const faults = compiled.Errors(input).map((one) => `${one.instancePath || '/'} ${one.message}`);
    throw refuse('EXPORT_INVALID_INPUT', `the input does not fit: ${faults.join('; ')}`);
  }
  if ((input.deckRef === undefined) === (input.deck === undefined)) {
    throw refuse('EXPORT_INVALID_INPUT', 'the input needs either `deckRef` or `deck`');
  }
  return input as ExportInput;
}

/** A name for the file that every system can keep. */
export function fileNameOf({ fileName, format }: ExportInput, { title }: Deck): string {
  const wanted = fileName ?? (title === '' ? 'deck' : title);
  const kept = wanted.replaceAll(/[\p{Cc}\p{Cs}/\\:*?"<>|]+/gu, ' ').trim();
  const bare = kept.replace(/\.(pptx|pdf)$/i, '').slice(0, 180);
  return `${bare === '' ? 'deck' : bare}.${format}`;
}
