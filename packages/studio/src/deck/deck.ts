import { type Static, Type } from 'typebox';

/** Raised when a deck of before could be misread; readers name the versions they know. */
export const DECK_VERSION = 1;

function closed<Members extends Parameters<typeof Type.Object>[0]>(
  members: Members,
  description?: string,
) {
  const more = description === undefined ? {} : { description };
  return Type.Object(members, { additionalProperties: false, ...more });
}

const Colour = Type.String({
  pattern: '^#[0-9A-F]{6}$',
  description: 'Red, green and blue in hexadecimal capitals.',
});

/** A text without characters that XML and databases cannot keep. */
const Text = Type.String({ maxLength: 100_000, pattern: '^[^\\u0000]*$' });

const RunSchema = closed(
  {
    text: Text,
    bold: Type.Optional(Type.Literal(true)),
    italic: Type.Optional(Type.Literal(true)),
    underline: Type.Optional(Type.Literal(true)),
    strike: Type.Optional(Type.Literal(true)),
    code: Type.Optional(Type.Literal(true)),
    colour: Type.Optional(Colour),
    link: Type.Optional(
      Type.String({ maxLength: 2_048, pattern: '^(https?://|mailto:)[^\\s\\u0000]+$' }),
    ),
  },
  'Text of one look; a line break is a line feed in it.',
);

const ParagraphSchema = closed(
  {
    level: Type.Integer({ minimum: 0, maximum: 8, description: 'How deep it is indented.' }),
    list: Type.Optional(Type.Enum(['bullet', 'number'])),
    align: Type.Optional(Type.Enum(['center', 'right'])),
    runs: Type.Array(RunSchema, { maxItems: 2_000 }),
  },
  'A paragraph, or an item of a list.',
);

const BoxSchema = closed(
  {
    x: Type.Number({ minimum: -10_000, maximum: 10_000 }),
    y: Type.Number({ minimum: -10_000, maximum: 10_000 }),
    width: Type.Number({ minimum: 0, maximum: 10_000 }),
    height: Type.Number({ minimum: 0, maximum: 10_000 }),
  },
  'A place on the slide, in points from its upper left corner.',
);

const OriginSchema = closed(
  {
    part: Type.Optional(Type.String({ maxLength: 512 })),
    page: Type.Optional(Type.Integer({ minimum: 1 })),
    line: Type.Optional(Type.Integer({ minimum: 1 })),
    shape: Type.Optional(Type.String({ maxLength: 64 })),
  },
  'The source map: the part, page, line or shape of the source that this came from.',
);

const placed = { box: Type.Optional(BoxSchema), origin: Type.Optional(OriginSchema) };

const TextBlockSchema = closed({
  kind: Type.Literal('text'),
  paragraphs: Type.Array(ParagraphSchema, { maxItems: 2_000 }),
  ...placed,
});

const ImageBlockSchema = closed({
  kind: Type.Literal('image'),
  asset: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'A key of `assets`.' }),
  alt: Type.Optional(Type.String({ maxLength: 2_000 })),
  ...placed,
});

const CellSchema = closed({
  runs: Type.Array(RunSchema, { maxItems: 500 }),
  columns: Type.Optional(Type.Integer({ minimum: 2, maximum: 100, description: 'It spans.' })),
});

const TableBlockSchema = closed({
  kind: Type.Literal('table'),
  header: Type.Boolean({ description: 'Whether the first row names the columns.' }),
  rows: Type.Array(Type.Array(CellSchema, { maxItems: 100 }), { maxItems: 1_000 }),
  ...placed,
});

const ChartBlockSchema = closed({
  kind: Type.Literal('chart'),
  chart: Type.Enum(['bar', 'column', 'line', 'area', 'pie', 'doughnut', 'scatter']),
  title: Type.Optional(Text),
  categories: Type.Array(Text, { maxItems: 1_000 }),
  series: Type.Array(
    closed({
      name: Text,
      values: Type.Array(Type.Union([Type.Number(), Type.Null()]), { maxItems: 1_000 }),
    }),
    { maxItems: 50 },
  ),
  ...placed,
});

const BlockSchema = Type.Union([
  TextBlockSchema,
  ImageBlockSchema,
  TableBlockSchema,
  ChartBlockSchema,
]);

const SlideSchema = closed({
  id: Type.String({ minLength: 1, maxLength: 64, description: 'Unique within the deck.' }),
  layout: Type.Enum(['title', 'section', 'content', 'columns', 'blank']),
  title: Type.Optional(ParagraphSchema.properties.runs),
  titleBox: Type.Optional(BoxSchema),
  subtitle: Type.Optional(ParagraphSchema.properties.runs),
  blocks: Type.Array(BlockSchema, { maxItems: 500 }),
  notes: Type.Optional(Type.Array(ParagraphSchema, { maxItems: 2_000 })),
  background: Type.Optional(Colour),
  origin: Type.Optional(OriginSchema),
});

const AssetSchema = closed(
  {
    mediaType: Type.Enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    width: Type.Integer({ minimum: 1, maximum: 32_768 }),
    height: Type.Integer({ minimum: 1, maximum: 32_768 }),
    artifact: Type.Optional(
      Type.String({ maxLength: 64, description: 'The id of the artifact with the bytes.' }),
    ),
    data: Type.Optional(
      Type.String({ contentEncoding: 'base64', description: 'The bytes, instead of an artifact.' }),
    ),
  },
  'An image, under the SHA-256 of its bytes.',
);

const ThemeSchema = closed({
  colours: closed({
    background: Colour,
    text: Colour,
    accents: Type.Array(Colour, { minItems: 1, maxItems: 6 }),
  }),
  fonts: closed({
    heading: Type.String({ minLength: 1, maxLength: 128 }),
    body: Type.String({ minLength: 1, maxLength: 128 }),
  }),
});

const SourceSchema = closed(
  {
    type: Type.Enum(['pptx', 'pdf', 'docx', 'md', 'html', 'txt']),
    name: Type.Optional(Type.String({ maxLength: 512 })),
    size: Type.Integer({ minimum: 0 }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  },
  'What the deck was converted from.',
);

/** The format of decks, published as docs/reference/deck.schema.json. */
export const DeckSchema = Type.Object(
  {
    format: Type.Literal('pawl-deck'),
    version: Type.Literal(DECK_VERSION),
    title: Type.String({ maxLength: 1_000 }),
    language: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9-]{2,35}$' })),
    size: closed({
      width: Type.Number({ minimum: 72, maximum: 4_032 }),
      height: Type.Number({ minimum: 72, maximum: 4_032 }),
    }),
    theme: ThemeSchema,
    assets: Type.Record(Type.String({ pattern: '^[0-9a-f]{64}$' }), AssetSchema),
    slides: Type.Array(SlideSchema, { minItems: 1, maxItems: 2_000 }),
    source: Type.Optional(SourceSchema),
  },
  { additionalProperties: false },
);

export type Deck = Static<typeof DeckSchema>;
export type Slide = Static<typeof SlideSchema>;
export type Block = Static<typeof BlockSchema>;
export type TableBlock = Static<typeof TableBlockSchema>;
export type ChartBlock = Static<typeof ChartBlockSchema>;
export type Cell = Static<typeof CellSchema>;
export type Paragraph = Static<typeof ParagraphSchema>;
export type Run = Static<typeof RunSchema>;
export type Box = Static<typeof BoxSchema>;
export type Asset = Static<typeof AssetSchema>;
export type Theme = Static<typeof ThemeSchema>;
export type Origin = Static<typeof OriginSchema>;
export type SourceType = Static<typeof SourceSchema>['type'];
