import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { SOURCE_TYPES } from '../deck/deck.ts';
import { refuse } from './refusal.ts';

/** What a convert job is asked to do. */
export const ConvertInputSchema = Type.Object(
  {
    assetRef: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
        description: 'The id of the artifact to convert, as its upload answered it.',
      }),
    ),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 262_144,
        description: 'The source itself, for a short text; Markdown unless `sourceType` says more.',
      }),
    ),
    sourceType: Type.Optional(
      Type.Enum([...SOURCE_TYPES], {
        description: 'Needed only where neither the bytes nor the name tell.',
      }),
    ),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    password: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Opens a protected file. It stays in the input of the job, like all of it.',
      }),
    ),
    ocr: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z]{3}(_[a-z]{1,8}){0,2}$' }), {
        minItems: 1,
        maxItems: 4,
        description:
          'The languages of pages that are pictures, such as ["eng", "deu"]: their text is ' +
          'recognised where tesseract.js and @tesseract.js-data/<language> are installed.',
      }),
    ),
    sourcePreviews: Type.Optional(
      Type.Boolean({
        description:
          'Whether to draw the source as well, by LibreOffice where it is installed (a PDF by ' +
          'pdf.js), to be compared with the previews of the deck.',
      }),
    ),
    strict: Type.Optional(
      Type.Boolean({
        description: 'Whether to fail where anything of the source would be dropped.',
      }),
    ),
  },
  { additionalProperties: false },
);

export type ConvertInput = Static<typeof ConvertInputSchema>;

const compiled = Compile(ConvertInputSchema);

/** The input, or CONVERT_INVALID_INPUT with all that is wrong. */
export function checkInput(input: unknown): ConvertInput {
  if (!compiled.Check(input)) {
    const faults = compiled.Errors(input).map((one) => `${one.instancePath || '/'} ${one.message}`);
    throw refuse('CONVERT_INVALID_INPUT', `the input does not fit: ${faults.join('; ')}`);
  }
  if ((input.assetRef === undefined) === (input.text === undefined)) {
    throw refuse('CONVERT_INVALID_INPUT', 'the input needs either `assetRef` or `text`');
  }
  return input;
}
