import { type Static, Type } from 'typebox';
import { closed, Colour, ThemeColour } from './look.ts';

/** A text without characters that XML and databases cannot keep. */
export const Text = Type.String({ maxLength: 100_000, pattern: '^[^\\u0000]*$' });

export const Language = Type.String({ pattern: '^[A-Za-z0-9-]{2,35}$' });

export const RunSchema = closed(
  {
    text: Text,
    bold: Type.Optional(Type.Literal(true)),
    italic: Type.Optional(Type.Literal(true)),
    underline: Type.Optional(Type.Literal(true)),
    strike: Type.Optional(Type.Literal(true)),
    code: Type.Optional(Type.Literal(true)),
    colour: Type.Optional(Colour),
    theme: ThemeColour,
    size: Type.Optional(Type.Number({ minimum: 1, maximum: 4_000, description: 'In points.' })),
    font: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    language: Type.Optional(Language),
    baseline: Type.Optional(Type.Enum(['super', 'sub'])),
    link: Type.Optional(
      Type.String({ maxLength: 2_048, pattern: '^(https?://|mailto:)[^\\s\\u0000]+$' }),
    ),
  },
  'Text of one look; a line break is a line feed in it.',
);

const Points = Type.Number({ minimum: 0, maximum: 4_000 });

const SpacingSchema = closed(
  {
    before: Type.Optional(Points),
    after: Type.Optional(Points),
    line: Type.Optional(
      Type.Number({ minimum: 0.05, maximum: 20, description: 'In heights of a line.' }),
    ),
  },
  'Room around a paragraph in points, and between its lines.',
);

export const NUMBERINGS = [
  'decimal',
  'decimalParenthesis',
  'lowerLetter',
  'lowerLetterParenthesis',
  'upperLetter',
  'upperLetterParenthesis',
  'lowerRoman',
  'upperRoman',
] as const;

export const Align = Type.Enum(['left', 'center', 'right', 'justify']);

export const ParagraphSchema = closed(
  {
    level: Type.Integer({ minimum: 0, maximum: 8, description: 'How deep it is indented.' }),
    list: Type.Optional(Type.Enum(['bullet', 'number'])),
    marker: Type.Optional(
      Type.String({ minLength: 1, maxLength: 8, description: 'The character of a bullet.' }),
    ),
    numbering: Type.Optional(Type.Enum([...NUMBERINGS], { description: 'Default: decimal.' })),
    start: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 32_767, description: 'The first number of the list.' }),
    ),
    align: Type.Optional(Align),
    direction: Type.Optional(Type.Enum(['ltr', 'rtl'])),
    spacing: Type.Optional(SpacingSchema),
    indent: Type.Optional(
      closed({
        left: Points,
        first: Type.Number({ minimum: -4_000, maximum: 4_000, description: 'Of the first line.' }),
      }),
    ),
    runs: Type.Array(RunSchema, { maxItems: 2_000 }),
  },
  'A paragraph, or an item of a list.',
);

export type Run = Static<typeof RunSchema>;
export type Paragraph = Static<typeof ParagraphSchema>;
