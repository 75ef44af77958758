import type { Block, Box, Deck, Run, Slide, TitleFrame } from '../deck/deck.ts';
import { isPresentation } from '../deck/deck.ts';
import { outlineOf } from '../deck/outline.ts';
import { isDark, mix } from '../deck/theme.ts';
import { arrange, type Arranged } from './arrange.ts';
import { fitTable, type TableFrame } from './table-frame.ts';
import { anchorOf, fitText, insideOf, type TextColours, type TextFrame } from './text-frame.ts';
import type { TextStyle } from './text-style.ts';
import type { Typesetter } from './typeset.ts';

/** A slide with every text fitted: what painting and other formats go by. */
export interface Composed {
  readonly arranged: Arranged;
  readonly colours: TextColours;
  readonly title: TextFrame | null;
  readonly subtitle: TextFrame | null;
  readonly blocks: readonly ComposedBlock[];
}

export interface ComposedBlock {
  readonly block: Block;
  readonly box: Box;
  readonly text: TextFrame | null;
  readonly table: TableFrame | null;
}

const BODY_SIZES = [21, 18, 16, 15, 14];
/** What text has in office programs that name no size. */
const SHAPE_SIZE = 18;

function coloursOf(slide: Slide, { theme }: Deck): TextColours {
  const { background, text, accents } = theme.colours;
  const accent = accents[0]!;
  const isOurs = slide.titleBox === undefined && slide.blocks.every(({ box }) => !box);
  const isFilled = slide.layout === 'section' && slide.background === undefined && isOurs;
  const paper = isFilled ? accent : (slide.background ?? background);
  // The theme's text colour may not read on a background of the slide's own.
  const ink = isDark(paper) === isDark(text) ? (isDark(paper) ? '#FFFFFF' : '#1F2937') : text;
  return { background: paper, text: ink, accent: isFilled ? mix(accent, '#FFFFFF', 0.6) : accent };
}

/** Finds the place and the size of everything. */
export function compose(slide: Slide, deck: Deck, typesetter: Typesetter): Composed {
  const arranged = arrange(slide, deck);
  const { scale } = arranged;
  const isOpening = slide.layout === 'title' || slide.layout === 'section';
  const isNamed = isPresentation(deck.source?.type);
  const heading = (size: number, bold: boolean): TextStyle => ({
    font: deck.theme.fonts.heading,
    bold,
    sizeOf: () => size * scale,
    align: 'left',
    isNamed,
  });
  const body: TextStyle = {
    font: deck.theme.fonts.body,
    bold: false,
    sizeOf: (level) => (BODY_SIZES[level] ?? BODY_SIZES.at(-1)!) * scale,
    align: 'left',
    isNamed,
  };
  return {
    arranged,
    colours: coloursOf(slide, deck),
    title: headingFrame(slide.title, arranged.title, {
      own: slide.titleFrame,
      // A source that says how its title stands also says how bold it is.
      style: heading(isOpening ? 44 : 30, slide.titleFrame === undefined),
      anchor: isOpening ? 1 : 0.5,
      typesetter,
    }),
    subtitle: headingFrame(slide.subtitle, arranged.subtitle, {
      own: slide.subtitleFrame,
      style: heading(isOpening ? 22 : 18, false),
      anchor: 0,
      typesetter,
    }),
    blocks: arranged.blocks.map(({ block, box }) => ({
      block,
      box,
      text: blockText(block, box, { body, typesetter }),
      table:
        block.kind === 'table'
          ? fitTable(block, { box, style: body, size: 16 * scale, typesetter })
          : null,
    })),
  };
}

function headingFrame(
  runs: readonly Run[] | undefined,
  box: Box | null,
  of: {
    own: TitleFrame | undefined;
    style: TextStyle;
    anchor: TextFrame['anchor'];
    typesetter: Typesetter;
  },
): TextFrame | null {
  if (runs === undefined || box === null) return null;
  const { own, style, typesetter } = of;
  const align = own?.align === undefined ? {} : { align: own.align };
  const spacing = own === undefined ? {} : { spacing: { line: 0.95 } };
  return fitText([{ level: 0, runs: [...runs], ...align, ...spacing }], {
    box: insideOf(box, own?.inset),
    typesetter,
    style,
    anchor: own === undefined ? of.anchor : anchorOf(own.anchor),
    isWrapped: own?.wrap !== false,
  });
}

function blockText(
  block: Block,
  box: Box,
  { body, typesetter }: { body: TextStyle; typesetter: Typesetter },
): TextFrame | null {
  if (block.kind !== 'text' && block.kind !== 'shape') return null;
  const { paragraphs = [], anchor, inset, upright, wrap } = block;
  if (paragraphs.length === 0) return null;
  const isShape = block.kind === 'shape';
  const style = isShape ? { ...body, sizeOf: () => SHAPE_SIZE } : body;
  const area = isShape ? textArea(block, box) : box;
  const turned = upright === undefined ? area : uprightBox(area);
  return fitText(paragraphs, {
    box: insideOf(turned, inset),
    typesetter,
    style,
    anchor: anchorOf(anchor),
    isWrapped: wrap !== false || upright !== undefined,
  });
}

/** The part of a shape that its table leaves for text. */
function textArea({ geometry }: Extract<Block, { kind: 'shape' }>, box: Box): Box {
  const [left, top, right, bottom] = outlineOf(geometry, box).text;
  return {
    x: box.x + left,
    y: box.y + top,
    width: Math.max(1, right - left),
    height: Math.max(1, bottom - top),
  };
}

/** The same middle, with width and height exchanged. */
function uprightBox({ x, y, width, height }: Box): Box {
  return { x: x + (width - height) / 2, y: y + (height - width) / 2, width: height, height: width };
}

/** As large as the box allows, in its own proportions, in the middle. */
export function fitImage(asset: string, box: Box, deck: Deck): Box {
  const { width, height } = deck.assets[asset]!;
  const scale = Math.min(box.width / width, box.height / height);
  const size = { width: width * scale, height: height * scale };
  return {
    x: box.x + (box.width - size.width) / 2,
    y: box.y + (box.height - size.height) / 2,
    ...size,
  };
}

/** The marks of our own layouts: a rule by the title, and a band on opening slides. */
export function decorations(slide: Slide, composed: Composed): readonly [Box, string][] {
  const { arranged, colours, title } = composed;
  if (title === null) return [];
  const { scale } = arranged;
  const { x, y, height } = title.box;
  const isOpening = slide.layout === 'title' || slide.layout === 'section';
  if (!isOpening) {
    const rule = { x, y: y + height + 4 * scale, width: 44 * scale, height: 3 * scale };
    return [[rule, colours.accent]];
  }
  const rule = { x, y: y + height + 8 * scale, width: 72 * scale, height: 4 * scale };
  const band = { x: 0, y: 0, width: 14 * scale, height: 10_000 };
  return slide.layout === 'title'
    ? [
        [band, colours.accent],
        [rule, colours.accent],
      ]
    : [[rule, colours.accent]];
}
