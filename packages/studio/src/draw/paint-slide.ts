import type { Block, Deck, Slide } from '../deck/deck.ts';
import { CHART_DEFAULTS } from '../deck/chart-legend.ts';
import { outlineOf } from '../deck/outline.ts';
import { plainText } from '../deck/text.ts';
import { mix } from '../deck/theme.ts';
import { paintChart } from './chart.ts';
import { compose, type Composed, type ComposedBlock, decorations, fitImage } from './compose.ts';
import { paintImage, paintShape } from './paint-shape.ts';
import type { Pen } from './pen.ts';
import { paintTable } from './table-frame.ts';
import { actualOf, paintParagraphs, paintText, type TextColours } from './text-frame.ts';
import type { Typesetter } from './typeset.ts';

/** Draws a slide of a deck with any pen: the one look of previews and of printed pages. */
export function paintSlide(pen: Pen, slide: Slide, deck: Deck, typesetter: Typesetter): void {
  const composed = compose(slide, deck, typesetter);
  const { arranged, colours } = composed;
  const { width, height } = deck.size;
  const page = { x: 0, y: 0, width, height };
  pen.part({ role: 'Artifact' }, () => {
    pen.rectangle(page, colours.background);
    if (slide.backgroundFill !== undefined) {
      const [path] = outlineOf({ preset: 'rect' }, page).paths;
      pen.path(path!, { box: page, fill: slide.backgroundFill });
    }
    if (arranged.isOurs) for (const mark of decorations(slide, composed)) pen.rectangle(...mark);
  });
  const above = slide.titleAbove ?? 0;
  const around = { composed, deck, typesetter };
  for (const one of composed.blocks.slice(0, above)) paintBlock(pen, one, around);
  paintHeadings(pen, slide, composed);
  for (const one of composed.blocks.slice(above)) paintBlock(pen, one, around);
}

function paintHeadings(
  pen: Pen,
  slide: Slide,
  { colours, title, subtitle, arranged }: Composed,
): void {
  if (title !== null) {
    const actual = actualOf(plainText(slide.title!));
    const turn = { box: arranged.title!, rotation: slide.titleFrame?.rotation };
    pen.part({ role: 'H1', ...actual }, () =>
      pen.turned(turn, () => paintText(pen, title, colours)),
    );
  }
  const muted = { ...colours, text: mix(colours.text, colours.background, 0.3) };
  if (subtitle !== null) {
    const actual = actualOf(plainText(slide.subtitle!));
    pen.part({ role: 'H2', ...actual }, () => paintText(pen, subtitle, muted));
  }
}

interface Around {
  readonly composed: Composed;
  readonly deck: Deck;
  readonly typesetter: Typesetter;
}

function paintBlock(pen: Pen, placed: ComposedBlock, around: Around): void {
  const { block, box } = placed;
  const { rotation, flip, opacity } = block;
  const isPlain = rotation === undefined && flip === undefined && opacity === undefined;
  if (isPlain) paintInside(pen, placed, around);
  // Words of a shape that is mirrored are not.
  else if (block.kind === 'shape') {
    pen.part({ role: 'Artifact' }, () =>
      pen.turned({ box, rotation, flip, opacity }, () => paintShape(pen, block, box)),
    );
    const turn = (rotation ?? 0) + (flip === 'vertical' || flip === 'both' ? 180 : 0);
    pen.turned({ box, rotation: turn, opacity }, () => paintWords(pen, placed, around));
  } else pen.turned({ box, rotation, flip, opacity }, () => paintInside(pen, placed, around));
}

/** The words of a text or a shape, upright or turned in their box. */
function paintWords(pen: Pen, { block, box, text }: ComposedBlock, { composed }: Around): void {
  if ((block.kind !== 'text' && block.kind !== 'shape') || text === null) return;
  const look = { frame: text, colours: inShape(block, composed.colours) };
  const paint = (): void => paintParagraphs(pen, block.paragraphs ?? [], look);
  if (block.upright === undefined) paint();
  else pen.turned({ box, rotation: block.upright }, paint);
}

/** Code and links in a filled shape stand on its colour. */
function inShape(block: Block, colours: TextColours): TextColours {
  if (block.kind !== 'shape' || block.fill === undefined || 'stops' in block.fill) return colours;
  return { ...colours, background: block.fill.colour };
}

function paintInside(pen: Pen, placed: ComposedBlock, around: Around): void {
  const { block, box, table } = placed;
  const { composed, deck, typesetter } = around;
  const { colours, arranged } = composed;
  switch (block.kind) {
    case 'text':
      paintWords(pen, placed, around);
      return;
    case 'shape':
      pen.part({ role: 'Artifact' }, () => paintShape(pen, block, box));
      paintWords(pen, placed, around);
      return;
    case 'connector':
      pen.part({ role: 'Artifact' }, () => paintShape(pen, block, box));
      return;
    case 'table':
      paintTable(pen, table!, colours);
      return;
    case 'image': {
      const isFitted = block.crop === undefined && block.stretch !== true;
      const place = isFitted ? fitImage(block.asset, box, deck) : box;
      const part = { role: 'Figure', alt: block.alt ?? '' } as const;
      pen.part(block.role === 'design' ? { role: 'Artifact' } : part, () =>
        paintImage(pen, block, place),
      );
      return;
    }
    case 'chart': {
      const style = {
        colours,
        accents: deck.theme.colours.accents,
        font: deck.theme.fonts.body,
        isNamed: deck.source?.type === 'pptx',
        measure: typesetter.measure,
        size: CHART_DEFAULTS.size * arranged.scale,
      };
      const alt = `${block.chart} chart: ${block.title ?? ''}`;
      pen.part({ role: 'Figure', alt }, () => paintChart(pen, block, box, style));
    }
  }
}
