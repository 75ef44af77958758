import { type Static, Type } from 'typebox';
import { BlockSchema, BoxSchema, GroupSchema, OriginSchema, TitleFrameSchema } from './blocks.ts';
import { closed, Colour, FillSchema } from './look.ts';
import { Language, ParagraphSchema } from './words.ts';

export type {
  Block,
  Box,
  Cell,
  ChartBlock,
  ConnectorBlock,
  Group,
  ImageBlock,
  Origin,
  ShapeBlock,
  TableBlock,
  TextBlock,
  TitleFrame,
} from './blocks.ts';
export type { Paragraph, Run } from './words.ts';

/** Raised when a deck of before could be misread; readers name the versions they know. */
export const DECK_VERSION = 2;

const SlideSchema = closed({
  id: Type.String({ minLength: 1, maxLength: 64, description: 'Unique within the deck.' }),
  layout: Type.Enum(['title', 'section', 'content', 'columns', 'blank']),
  title: Type.Optional(ParagraphSchema.properties.runs),
  titleBox: Type.Optional(BoxSchema),
  titleFrame: Type.Optional(TitleFrameSchema),
  titleAbove: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 5_000,
      description: 'How many blocks lie below the title.',
    }),
  ),
  subtitle: Type.Optional(ParagraphSchema.properties.runs),
  subtitleBox: Type.Optional(BoxSchema),
  subtitleFrame: Type.Optional(TitleFrameSchema),
  blocks: Type.Array(BlockSchema, { maxItems: 5_000 }),
  notes: Type.Optional(Type.Array(ParagraphSchema, { maxItems: 2_000 })),
  groups: Type.Optional(Type.Array(GroupSchema, { maxItems: 5_000 })),
  background: Type.Optional(Colour),
  backgroundFill: Type.Optional(FillSchema),
  hidden: Type.Optional(Type.Literal(true, { description: 'Not shown when presenting.' })),
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
    background2: Type.Optional(Colour),
    text2: Type.Optional(Colour),
    link: Type.Optional(Colour),
    visited: Type.Optional(Colour),
  }),
  fonts: closed({
    heading: Type.String({ minLength: 1, maxLength: 128 }),
    body: Type.String({ minLength: 1, maxLength: 128 }),
  }),
});

/** What can be converted; the second line only where LibreOffice is installed. */
export const SOURCE_TYPES = [
  ...(['pptx', 'pdf', 'docx', 'md', 'html', 'txt'] as const),
  ...(['odp', 'ppt', 'odt', 'doc', 'rtf', 'ods', 'xlsx', 'xls'] as const),
] as const;

const SourceSchema = closed(
  {
    type: Type.Enum([...SOURCE_TYPES]),
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
    language: Type.Optional(Language),
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
export type Asset = Static<typeof AssetSchema>;
export type Theme = Static<typeof ThemeSchema>;
export type SourceType = Static<typeof SourceSchema>['type'];

/** Whether a source of a type has slides with places, sizes and colours of its own. */
export function isPresentation(type: SourceType | undefined): boolean {
  return type === 'pptx' || type === 'odp' || type === 'ppt';
}
