import type { Block, Box, Deck, Slide } from '../deck/deck.ts';
import { columnsOf } from './table-frame.ts';

/** Where everything of a slide goes. */
export interface Arranged {
  /** Whether it is our own arrangement, which has decorations, or that of the source. */
  readonly isOurs: boolean;
  readonly title: Box | null;
  readonly subtitle: Box | null;
  readonly blocks: readonly { readonly block: Block; readonly box: Box }[];
  /** In what proportion to a slide of 960 points everything is drawn. */
  readonly scale: number;
}

/** Kept from the source where it says so, and arranged by the layout where it does not. */
export function arrange(slide: Slide, { size }: Pick<Deck, 'size'>): Arranged {
  const scale = Math.min(size.width / 960, size.height / 540);
  const isOurs = slide.titleBox === undefined && slide.blocks.every(({ box }) => !box);
  const margin = 56 * scale;
  const inner = size.width - 2 * margin;
  if (slide.layout === 'title' || slide.layout === 'section') {
    const middle = size.height * 0.5;
    const hasBlocks = slide.blocks.length > 0;
    const top = hasBlocks ? margin : middle - 130 * scale;
    const title = slide.titleBox ?? { x: margin, y: top, width: inner, height: 130 * scale };
    const below = title.y + title.height + 22 * scale;
    const subtitle = slide.subtitleBox ?? { ...title, y: below, height: 84 * scale };
    const from = below + (slide.subtitle === undefined ? 0 : 92 * scale);
    const area = { x: margin, y: from, width: inner, height: size.height - from - margin / 2 };
    return {
      isOurs,
      title: slide.title === undefined ? null : title,
      subtitle: slide.subtitle === undefined ? null : subtitle,
      blocks: placeBlocks(slide, area),
      scale,
    };
  }
  const hasTitle = slide.title !== undefined;
  const head = { x: margin, y: 34 * scale, width: inner, height: 62 * scale };
  const title = hasTitle ? (slide.titleBox ?? head) : null;
  const subtitleAt = slide.subtitleBox ?? {
    x: margin,
    y: 100 * scale,
    width: inner,
    height: 30 * scale,
  };
  const subtitle = slide.subtitle === undefined ? null : subtitleAt;
  const from = hasTitle ? (subtitle === null ? 124 : 140) * scale : margin * 0.75;
  const area = { x: margin, y: from, width: inner, height: size.height - from - 40 * scale };
  return { isOurs, title, subtitle, blocks: placeBlocks(slide, area), scale };
}

function placeBlocks(slide: Slide, area: Box): Arranged['blocks'] {
  const free = slide.blocks.filter(({ box }) => box === undefined);
  const boxes = new Map(flow(free, area, slide.layout === 'columns'));
  return slide.blocks.map((block) => ({
    block,
    box: block.box ?? boxes.get(block)!,
  }));
}

type Placed = readonly [Block, Box];

/** Text to the left and what is seen to the right; wide tables below; several side by side. */
function flow(blocks: readonly Block[], area: Box, isColumns: boolean): Placed[] {
  const texts = blocks.filter(({ kind }) => kind === 'text');
  const seen = blocks.filter(({ kind }) => kind !== 'text');
  if (isColumns && blocks.length > 1) return beside(blocks, area);
  if (texts.length === 0) return grid(seen, area);
  if (seen.length === 0) return below(texts, area);
  const isWide = seen.some((block) => block.kind === 'table' && columnsOf(block) > 3);
  if (isWide || seen.length > 2) {
    const share = area.height * Math.min(0.45, weightOf(texts) / 12);
    return [
      ...below(texts, { ...area, height: share }),
      ...grid(seen, { ...area, y: area.y + share + 12, height: area.height - share - 12 }),
    ];
  }
  const gap = area.width * 0.04;
  const left = { ...area, width: area.width * 0.46 };
  const x = area.x + left.width + gap;
  const right = { ...area, x, width: area.width - left.width - gap };
  return [...below(texts, left), ...below(seen, right)];
}

/** About how many lines some text wants. */
function weightOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => {
    if (block.kind !== 'text') return sum + 6;
    const lines = block.paragraphs.map(({ runs }) =>
      Math.ceil(runs.reduce((letters, { text }) => letters + text.length, 1) / 60),
    );
    return sum + lines.reduce((total, one) => total + one, 0);
  }, 0);
}

function below(blocks: readonly Block[], area: Box): Placed[] {
  const gap = blocks.length > 1 ? 14 : 0;
  const sum = weightOf(blocks) || 1;
  const room = area.height - gap * (blocks.length - 1);
  let { y } = area;
  return blocks.map((block) => {
    const height = Math.max(8, (room * Math.max(1, weightOf([block]))) / Math.max(sum, 1));
    const box = { ...area, y, height };
    y += height + gap;
    return [block, box] as const;
  });
}

function beside(blocks: readonly Block[], area: Box): Placed[] {
  const gap = area.width * 0.04;
  const width = (area.width - gap * (blocks.length - 1)) / blocks.length;
  return blocks.map((block, index) => [
    block,
    { ...area, x: area.x + index * (width + gap), width: Math.max(8, width) },
  ]);
}

function grid(blocks: readonly Block[], area: Box): Placed[] {
  const columns = Math.ceil(Math.sqrt(blocks.length));
  const rows: Block[][] = [];
  blocks.forEach((block, index) => (rows[Math.floor(index / columns)] ??= []).push(block));
  const gap = rows.length > 1 ? 14 : 0;
  const height = (area.height - gap * (rows.length - 1)) / Math.max(1, rows.length);
  return rows.flatMap((row, index) =>
    beside(row, { ...area, y: area.y + index * (height + gap), height: Math.max(8, height) }),
  );
}
