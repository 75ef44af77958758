// Reads and draws a presentation as convert does, and compares it with its source and LibreOffice.
import type { Box, Deck, Slide } from '../../src/deck/deck.ts';
import { type Loss, NO_ACCOUNT } from '../../src/deck/losses.ts';
import { checkDeck } from '../../src/deck/check-deck.ts';
import { normaliseSlide } from '../../src/convert/normalise.ts';
import { openPptx } from '../../src/convert/pptx.ts';
import { openPreviews } from '../../src/draw/canvas.ts';
import { withNotices } from '../../src/draw/notice.ts';
import { inkSimilarity } from './compare.ts';
import { slidesOf, type SourceBox, type SourceSlide } from './source.ts';

export interface JudgedSlide {
  readonly number: number;
  readonly similarity: number;
  /** With a slide that it has nothing to do with: what the measure is worth. */
  readonly strangers: number;
  readonly reference: string;
  readonly drawn: Buffer;
  readonly losses: readonly Loss[];
  /** What is neither in the deck nor among its losses. */
  readonly missing: readonly string[];
  readonly misplaced: readonly string[];
  readonly runs: number;
}

/** How far a box may be from where its source says, in points. */
const BOX_POINTS = 1;
const SIZE_POINTS = 0.5;

interface ReadDeck {
  readonly deck: Deck;
  readonly losses: readonly Loss[];
  readonly previews: readonly Buffer[];
}

async function readAndDraw(bytes: Uint8Array): Promise<ReadDeck> {
  const reader = await openPptx(bytes, { name: null });
  const { found } = reader;
  const images = new Map<string, Uint8Array>();
  const assets: Record<string, Deck['assets'][string]> = {};
  const slides: Slide[] = [];
  const accounts = [];
  for (let index = 0; index < found.slides; index++) {
    const read = await reader.slide(index);
    for (const { sha256, bytes: content, mediaType, width, height } of read.images) {
      images.set(sha256, content);
      assets[sha256] = { mediaType, width, height, artifact: sha256 };
    }
    accounts.push(read.account ?? NO_ACCOUNT);
    slides.push(normaliseSlide(read.draft, index, found.theme));
  }
  const { title, size, theme } = found;
  const source = { type: 'pptx' as const, size: bytes.length, sha256: '0'.repeat(64) };
  const deck: Deck = {
    format: 'pawl-deck',
    version: 2,
    title,
    size,
    theme,
    assets,
    slides,
    source,
  };
  const checked = checkDeck({ ...deck, assets: {}, slides: deck.slides.map(withoutImages) });
  if ('faults' in checked)
    throw new Error(`the deck is wrong: ${JSON.stringify(checked.faults[0])}`);
  const draw = await openPreviews(deck, async (asset) => images.get(asset)!);
  const drawn = [];
  for (const slide of slides) drawn.push(await draw(slide));
  const all = withNotices(
    accounts,
    drawn.map(({ notices }) => notices),
  );
  return {
    deck,
    losses: all.flatMap(({ losses }) => losses),
    previews: drawn.map(({ jpeg }) => Buffer.from(jpeg)),
  };
}

function withoutImages(slide: Slide): Slide {
  return { ...slide, blocks: slide.blocks.filter(({ kind }) => kind !== 'image') };
}

export async function judge(
  bytes: Uint8Array,
  references: readonly string[],
  stranger: string,
): Promise<JudgedSlide[]> {
  const source = slidesOf(bytes);
  const { deck, losses, previews } = await readAndDraw(bytes);
  if (references.length !== deck.slides.length) {
    throw new Error(`LibreOffice has ${references.length} slides, the deck ${deck.slides.length}`);
  }
  const judged: JudgedSlide[] = [];
  for (const [index, slide] of deck.slides.entries()) {
    const own = losses.filter((loss) => loss.slide === index + 1);
    const says = source[index]!;
    judged.push({
      number: index + 1,
      similarity: await inkSimilarity(references[index]!, previews[index]!),
      strangers: await inkSimilarity(stranger, previews[index]!),
      reference: references[index]!,
      drawn: previews[index]!,
      losses: own,
      missing: missingIn(says, slide, own),
      misplaced: [...misplacedIn(says, slide, own), ...missizedIn(says, slide)],
      runs: says.runs.length + says.notes.length,
    });
  }
  return judged;
}

function squeezed(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, '').toLowerCase();
}

function missingIn({ runs, notes }: SourceSlide, slide: Slide, losses: readonly Loss[]): string[] {
  const has = squeezed([...textsIn(slide), ...losses.flatMap(({ text = '' }) => text)].join(''));
  return [...runs, ...notes].filter((run) => !has.includes(squeezed(run)));
}

/** Every text of a slide, wherever it stands. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function boxesOf({ blocks, titleBox, subtitleBox, groups = [] }: Slide): Box[] {
  const boxes = [
    titleBox,
    subtitleBox,
    ...blocks.map(({ box }) => box),
    ...groups.map((one) => one.box),
  ];
  return boxes.filter((box) => box !== undefined);
}

function misplacedIn({ boxes }: SourceSlide, slide: Slide, losses: readonly Loss[]): string[] {
  const isLost = losses.some(({ outcome }) => outcome === 'dropped');
  const isThere = (wanted: SourceBox): boolean =>
    boxesOf(slide).some((box) => {
      const near = (side: 'x' | 'y' | 'width' | 'height'): boolean =>
        Math.abs(box[side] - wanted[side]) <= BOX_POINTS;
      return near('x') && near('y') && near('width') && near('height');
    });
  return boxes
    .filter((box) => !isThere(box) && !isLost)
    .map(({ name, x, y }) => `${name} is not at ${Math.round(x)}, ${Math.round(y)}`);
}

interface Sized {
  readonly text: string;
  readonly size?: number;
}

function runsOf(value: unknown): Sized[] {
  if (typeof value !== 'object' || value === null) return [];
  const one = value as Partial<Sized>;
  if (typeof one.text === 'string' && typeof one.size === 'number') return [one as Sized];
  return Object.values(value).flatMap(runsOf);
}

function missizedIn({ sizes }: SourceSlide, slide: Slide): string[] {
  const has = runsOf(slide);
  return sizes
    .filter(({ text, size }) => {
      const same = has.filter((run) => squeezed(run.text).includes(squeezed(text)));
      return same.length > 0 && !same.some((run) => Math.abs(run.size! - size) <= SIZE_POINTS);
    })
    .map(({ text, size }) => `"${text.slice(0, 40)}" is not ${size} pt`);
}
