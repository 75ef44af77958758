import { type Static, Type } from 'typebox';

/** An object without members that the format does not know. */
export function closed<Members extends Parameters<typeof Type.Object>[0]>(
  members: Members,
  description?: string,
) {
  const more = description === undefined ? {} : { description };
  return Type.Object(members, { additionalProperties: false, ...more });
}

export const Colour = Type.String({
  pattern: '^#[0-9A-F]{6}$',
  description: 'Red, green and blue in hexadecimal capitals.',
});

const Share = Type.Number({ minimum: 0, maximum: 1 });
const Opacity = Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'Default: 1.' }));

/** A colour that follows the theme keeps its name there beside what it is now. */
export const ThemeColour = Type.Optional(
  Type.Enum(
    [
      'background',
      'text',
      'background2',
      'text2',
      'accent1',
      'accent2',
      'accent3',
      'accent4',
      'accent5',
      'accent6',
      'link',
      'visited',
    ],
    { description: 'The colour of the theme that it is, unchanged.' },
  ),
);

const solid = { colour: Colour, theme: ThemeColour, opacity: Opacity };

const SolidSchema = closed(solid, 'One colour.');

const GradientSchema = closed(
  {
    angle: Type.Number({ minimum: 0, maximum: 360, description: 'Clockwise; 0: to the right.' }),
    stops: Type.Array(closed({ at: Share, colour: Colour, opacity: Opacity }), {
      minItems: 2,
      maxItems: 32,
    }),
  },
  'Colours that pass into each other along a line.',
);

export const FillSchema = Type.Union([SolidSchema, GradientSchema]);

const EndSchema = closed(
  {
    head: Type.Enum(['triangle', 'stealth', 'arrow', 'diamond', 'oval']),
    size: Type.Optional(Type.Enum(['small', 'large'], { description: 'Default: medium.' })),
  },
  'What an end of a line looks like.',
);

export const LineSchema = closed(
  {
    ...solid,
    width: Type.Number({ minimum: 0, maximum: 1_584, description: 'In points.' }),
    dash: Type.Optional(
      Type.Enum(['dot', 'dash', 'longDash', 'dashDot', 'longDashDot', 'longDashDotDot']),
    ),
    start: Type.Optional(EndSchema),
    end: Type.Optional(EndSchema),
  },
  'An outline, a connector, or a border.',
);

export const ShadowSchema = closed(
  {
    colour: Colour,
    opacity: Opacity,
    blur: Type.Number({ minimum: 0, maximum: 1_000 }),
    distance: Type.Number({ minimum: 0, maximum: 1_000 }),
    angle: Type.Number({ minimum: 0, maximum: 360, description: 'Clockwise; 0: to the right.' }),
  },
  'A shadow around the shape.',
);

const PathSchema = closed({
  commands: Type.String({
    maxLength: 200_000,
    pattern: '^[MLCZ0-9eE .,-]*$',
    description: 'M, L, C and Z with numbers, as in SVG; the box reaches from 0 to 1.',
  }),
  fill: Type.Optional(Type.Literal(false)),
  line: Type.Optional(Type.Literal(false)),
});

export const GeometrySchema = Type.Union([
  closed(
    {
      preset: Type.String({ pattern: '^[a-zA-Z0-9]{1,64}$' }),
      adjustments: Type.Optional(
        Type.Record(
          Type.String({ pattern: '^\\w{1,32}$' }),
          Type.Number({ minimum: -2_147_483_648, maximum: 2_147_483_647 }),
        ),
      ),
    },
    'One of the 187 preset shapes of Office Open XML, with its own adjustments.',
  ),
  closed({ paths: Type.Array(PathSchema, { maxItems: 100 }) }, 'A shape of its own.'),
]);

const Inset = Type.Number({ minimum: 0, maximum: 4_032 });
export const InsetSchema = closed(
  { left: Inset, top: Inset, right: Inset, bottom: Inset },
  'How far text keeps from the edges, in points.',
);

const Crop = Type.Number({ minimum: -10, maximum: 1 });
export const CropSchema = closed(
  { left: Crop, top: Crop, right: Crop, bottom: Crop },
  'What is cut away at each side, as a share of the whole picture.',
);

export type Fill = Static<typeof FillSchema>;
export type Gradient = Static<typeof GradientSchema>;
export type Solid = Static<typeof SolidSchema>;
export type Line = Static<typeof LineSchema>;
export type LineEnd = Static<typeof EndSchema>;
export type Shadow = Static<typeof ShadowSchema>;
export type Geometry = Static<typeof GeometrySchema>;
export type Inset = Static<typeof InsetSchema>;
export type Crop = Static<typeof CropSchema>;
export type ThemeColour = NonNullable<Solid['theme']>;
