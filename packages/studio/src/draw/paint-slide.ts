import type { Block, Box, Deck, Run, Slide } from '../deck/deck.ts';
import { isDark, mix } from '../deck/theme.ts';
import { arrange, type Arranged } from './arrange.ts';
import { paintChart } from './chart.ts';
import { familyOf } from './face.ts';
import type { Measure, Pen } from './pen.ts';
import { fitTable, paintTable, type TableFrame } from './table-frame.ts';
import {
  fitText,
  paintParagraphs,
  paintText,
  type TextColours,
  type TextFrame,
} from './text-frame.ts';
import type { TextStyle } from './wrap.ts';

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
const CHART_SIZE = 13;

function coloursOf(slide: Slide, { theme }: Deck): TextColours {
  const { background, text, accents } = theme.colours;
  const accent = accents[0]!;
  const isFilled = slide.layout === 'section' && slide.background === undefined;
  const paper = isFilled ? accent : (slide.background ?? background);
  // The theme's text colour may not read on a background of the slide's own.
  const ink = isDark(paper) === isDark(text) ? (isDark(paper) ? '#FFFFFF' : '#1F2937') : text;
  return { background: paper, text: ink, accent: isFilled ? mix(accent, '#FFFFFF', 0.6) : accent };
}

/** Finds the place and the size of everything. */
export function compose(slide: Slide, deck: Deck, measure: Measure): Composed {
  const arranged = arrange(slide, deck);
  const { scale } = arranged;
  const isOpening = slide.layout === 'title' || slide.layout === 'section';
  const heading = (size: number, bold: boolean): TextStyle => ({
    family: familyOf(deck.theme.fonts.heading),
    bold,
    sizeOf: () => size * scale,
    align: 'left',
  });
  const body: TextStyle = {
    family: familyOf(deck.theme.fonts.body),
    bold: false,
    sizeOf: (level) => (BODY_SIZES[level] ?? BODY_SIZES.at(-1)!) * scale,
    align: 'left',
  };
  const frame = (
    runs: readonly Run[] | undefined,
    box: Box | null,
    more: { style: TextStyle; anchor: TextFrame['anchor'] },
  ): TextFrame | null =>
    runs === undefined || box === null
      ? null
      : fitText([{ level: 0, runs: [...runs] }], { box, measure, ...more });
  return {
    arranged,
    colours: coloursOf(slide, deck),
    title: frame(slide.title, arranged.title, {
      style: heading(isOpening ? 44 : 30, true),
      anchor: isOpening ? 1 : 0.5,
    }),
    subtitle: frame(slide.subtitle, arranged.subtitle, {
      style: heading(isOpening ? 22 : 18, false),
      anchor: 0,
    }),
    blocks: arranged.blocks.map(({ block, box }) => ({
      block,
      box,
      text: block.kind === 'text' ? fitText(block.paragraphs, { box, measure, style: body }) : null,
      table:
        block.kind === 'table'
          ? fitTable(block, { box, size: 16 * scale, family: body.family, measure })
          : null,
    })),
  };
}

/** Draws a slide of a deck with any pen: the one look of previews and of printed pages. */
export function paintSlide(pen: Pen, slide: Slide, deck: Deck, measure: Measure): void {
  const composed = compose(slide, deck, measure);
  const { arranged, colours, title, subtitle } = composed;
  const { width, height } = deck.size;
  pen.part({ role: 'Artifact' }, () => {
    pen.rectangle({ x: 0, y: 0, width, height }, colours.background);
    if (arranged.isOurs) for (const mark of decorations(slide, composed)) pen.rectangle(...mark);
  });
  if (title !== null) pen.part({ role: 'H1' }, () => paintText(pen, title, colours));
  const muted = { ...colours, text: mix(colours.text, colours.background, 0.3) };
  if (subtitle !== null) pen.part({ role: 'H2' }, () => paintText(pen, subtitle, muted));
  for (const one of composed.blocks) paintBlock(pen, one, { composed, deck, measure });
}

interface Around {
  readonly composed: Composed;
  readonly deck: Deck;
  readonly measure: Measure;
}

function paintBlock(pen: Pen, { block, box, text, table }: ComposedBlock, around: Around): void {
  const { composed, deck, measure } = around;
  const { colours, arranged } = composed;
  switch (block.kind) {
    case 'text':
      paintParagraphs(pen, block.paragraphs, { frame: text!, colours });
      return;
    case 'table':
      paintTable(pen, table!, colours);
      return;
    case 'image': {
      const alt = block.alt ?? '';
      const place = fitImage(block.asset, box, deck);
      pen.part({ role: 'Figure', alt }, () => pen.image(block.asset, place));
      return;
    }
    case 'chart': {
      const style = {
        colours,
        accents: deck.theme.colours.accents,
        family: familyOf(deck.theme.fonts.body),
        measure,
        size: CHART_SIZE * arranged.scale,
      };
      const alt = `${block.chart} chart: ${block.title ?? ''}`;
      pen.part({ role: 'Figure', alt }, () => paintChart(pen, block, box, style));
    }
  }
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
