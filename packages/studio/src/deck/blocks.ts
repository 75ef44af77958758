import { type Static, Type } from 'typebox';
import {
  closed,
  Colour,
  CropSchema,
  FillSchema,
  GeometrySchema,
  InsetSchema,
  LineSchema,
  ShadowSchema,
} from './look.ts';
import { Align, ParagraphSchema, RunSchema, Text } from './words.ts';

const Coordinate = Type.Number({ minimum: -10_000, maximum: 10_000 });
const Length = Type.Number({ minimum: 0, maximum: 10_000 });

export const BoxSchema = closed(
  { x: Coordinate, y: Coordinate, width: Length, height: Length },
  'A place on the slide, in points from its upper left corner.',
);

export const OriginSchema = closed(
  {
    part: Type.Optional(Type.String({ maxLength: 512 })),
    page: Type.Optional(Type.Integer({ minimum: 1 })),
    line: Type.Optional(Type.Integer({ minimum: 1 })),
    shape: Type.Optional(Type.String({ maxLength: 64 })),
  },
  'The source map: the part, page, line or shape of the source that this came from.',
);

const Id = Type.String({ pattern: '^[\\w.-]{1,64}$' });

/** What every block can have; those above in the list lie below on the slide. */
const placed = {
  box: Type.Optional(BoxSchema),
  rotation: Type.Optional(
    Type.Number({ minimum: 0, maximum: 360, description: 'In degrees, clockwise.' }),
  ),
  flip: Type.Optional(Type.Enum(['horizontal', 'vertical', 'both'])),
  opacity: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  group: Type.Optional(Type.String({ ...Id, description: 'The id of one of the slide’s groups.' })),
  role: Type.Optional(
    Type.Enum(['footer', 'date', 'number', 'design'], {
      description: 'Part of every page, not of what this one says.',
    }),
  ),
  origin: Type.Optional(OriginSchema),
};

const Anchor = Type.Enum(['top', 'middle', 'bottom']);

/** How text stands in its box. */
const framed = {
  anchor: Type.Optional(Anchor),
  inset: Type.Optional(InsetSchema),
  upright: Type.Optional(
    Type.Enum([90, 270], { description: 'Text that is turned in its box, in degrees.' }),
  ),
  wrap: Type.Optional(Type.Literal(false)),
};

export const TitleFrameSchema = closed(
  { ...framed, align: Type.Optional(Align), rotation: placed.rotation },
  'How a title stands in its box.',
);

const TextBlockSchema = closed({
  kind: Type.Literal('text'),
  paragraphs: Type.Array(ParagraphSchema, { maxItems: 2_000 }),
  confidence: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Of text recognition, where it was used.' }),
  ),
  ...framed,
  ...placed,
});

const drawn = {
  geometry: GeometrySchema,
  line: Type.Optional(LineSchema),
  shadow: Type.Optional(ShadowSchema),
};

const ShapeBlockSchema = closed({
  kind: Type.Literal('shape'),
  id: Type.Optional(Type.String({ ...Id, description: 'What connectors name it by.' })),
  ...drawn,
  fill: Type.Optional(FillSchema),
  alt: Type.Optional(Type.String({ maxLength: 2_000 })),
  paragraphs: Type.Optional(Type.Array(ParagraphSchema, { maxItems: 2_000 })),
  ...framed,
  ...placed,
});

const JointSchema = closed({
  shape: Id,
  site: Type.Integer({ minimum: 0, maximum: 1_000, description: 'Which of its sites.' }),
});

const ConnectorBlockSchema = closed({
  kind: Type.Literal('connector'),
  ...drawn,
  from: Type.Optional(JointSchema),
  to: Type.Optional(JointSchema),
  ...placed,
});

const ImageBlockSchema = closed({
  kind: Type.Literal('image'),
  asset: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'A key of `assets`.' }),
  alt: Type.Optional(Type.String({ maxLength: 2_000 })),
  crop: Type.Optional(CropSchema),
  geometry: Type.Optional(GeometrySchema),
  line: Type.Optional(LineSchema),
  shadow: Type.Optional(ShadowSchema),
  stretch: Type.Optional(
    Type.Literal(true, { description: 'It fills its box, whatever its own proportions.' }),
  ),
  ...placed,
});

const BordersSchema = closed({
  left: Type.Optional(LineSchema),
  top: Type.Optional(LineSchema),
  right: Type.Optional(LineSchema),
  bottom: Type.Optional(LineSchema),
});

const CellSchema = closed({
  runs: Type.Array(RunSchema, { maxItems: 500 }),
  columns: Type.Optional(Type.Integer({ minimum: 2, maximum: 100, description: 'It spans.' })),
  rows: Type.Optional(Type.Integer({ minimum: 2, maximum: 1_000, description: 'It spans.' })),
  fill: Type.Optional(FillSchema),
  borders: Type.Optional(BordersSchema),
  align: Type.Optional(Align),
  anchor: Type.Optional(Anchor),
});

const TableBlockSchema = closed({
  kind: Type.Literal('table'),
  header: Type.Boolean({ description: 'Whether the first row names the columns.' }),
  rows: Type.Array(Type.Array(CellSchema, { maxItems: 100 }), {
    maxItems: 1_000,
    description: 'Cells that another one spans are left out.',
  }),
  widths: Type.Optional(Type.Array(Length, { maxItems: 100, description: 'Of the columns.' })),
  heights: Type.Optional(Type.Array(Length, { maxItems: 1_000, description: 'Of the rows.' })),
  plain: Type.Optional(
    Type.Literal(true, { description: 'Only what its cells say is filled and ruled.' }),
  ),
  ...placed,
});

const ChartKind = Type.Enum(['bar', 'column', 'line', 'area', 'pie', 'doughnut', 'scatter']);
const Values = Type.Array(Type.Union([Type.Number(), Type.Null()]), { maxItems: 1_000 });

const ChartBlockSchema = closed({
  kind: Type.Literal('chart'),
  chart: ChartKind,
  grouping: Type.Optional(
    Type.Enum(['stacked', 'percent'], { description: 'Default: side by side.' }),
  ),
  title: Type.Optional(Text),
  categories: Type.Array(Text, { maxItems: 1_000 }),
  series: Type.Array(
    closed({
      name: Text,
      values: Values,
      x: Type.Optional({ ...Values, description: 'Of a scatter chart.' }),
      colour: Type.Optional(Colour),
      colours: Type.Optional(
        Type.Array(Type.Union([Colour, Type.Null()]), {
          maxItems: 1_000,
          description: 'Of single values that have one of their own.',
        }),
      ),
      chart: Type.Optional(Type.Enum(['column', 'line', 'area'], { description: 'Of its own.' })),
    }),
    { maxItems: 50 },
  ),
  hole: Type.Optional(Type.Number({ minimum: 0.1, maximum: 0.9 })),
  legend: Type.Optional(
    Type.Enum(['right', 'left', 'top', 'bottom', 'none'], {
      description: 'Default: below, where there is more than one thing to name.',
    }),
  ),
  size: Type.Optional(
    Type.Number({ minimum: 1, maximum: 400, description: 'Of the letters, in points.' }),
  ),
  points: Type.Optional(
    Type.Boolean({ description: 'Of lines: false where values have no mark of their own.' }),
  ),
  joined: Type.Optional(
    Type.Boolean({ description: 'Of scattered points: lines lead from one to the next.' }),
  ),
  unlabelled: Type.Optional(
    Type.Enum(['categories', 'values', 'both'], { description: 'Axes without words.' }),
  ),
  fromBelow: Type.Optional(
    Type.Boolean({ description: 'Of lying bars: the first category is the lowest.' }),
  ),
  gap: Type.Optional(
    Type.Number({ minimum: 0, maximum: 5, description: 'Between groups of bars, in bars.' }),
  ),
  axis: Type.Optional(
    closed(
      {
        least: Type.Optional(Type.Number()),
        most: Type.Optional(Type.Number()),
        step: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
        reversed: Type.Optional(Type.Boolean()),
      },
      'The axis of values, where it is not chosen by them.',
    ),
  ),
  ...placed,
});

export const BlockSchema = Type.Union([
  TextBlockSchema,
  ShapeBlockSchema,
  ConnectorBlockSchema,
  ImageBlockSchema,
  TableBlockSchema,
  ChartBlockSchema,
]);

export const GroupSchema = closed(
  {
    id: Id,
    parent: Type.Optional(Type.String({ ...Id, description: 'The group that it is part of.' })),
    box: Type.Optional(BoxSchema),
    name: Type.Optional(Type.String({ maxLength: 512 })),
  },
  'Blocks that are moved together; where they are and how they are turned, they say themselves.',
);

export type Block = Static<typeof BlockSchema>;
export type TextBlock = Static<typeof TextBlockSchema>;
export type ShapeBlock = Static<typeof ShapeBlockSchema>;
export type ConnectorBlock = Static<typeof ConnectorBlockSchema>;
export type ImageBlock = Static<typeof ImageBlockSchema>;
export type TableBlock = Static<typeof TableBlockSchema>;
export type ChartBlock = Static<typeof ChartBlockSchema>;
export type Cell = Static<typeof CellSchema>;
export type Box = Static<typeof BoxSchema>;
export type Origin = Static<typeof OriginSchema>;
export type Group = Static<typeof GroupSchema>;
export type TitleFrame = Static<typeof TitleFrameSchema>;
