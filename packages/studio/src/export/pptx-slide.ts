import type { Block, Box, Deck, Slide } from '../deck/deck.ts';
import { plainLines } from '../deck/text.ts';
import { mix } from '../deck/theme.ts';
import type { ReadAsset } from '../draw/canvas.ts';
import { compose, type Composed, type ComposedBlock, fitImage } from '../draw/compose.ts';
import type { Typesetter } from '../draw/typeset.ts';
import { connectorXml, headingXml, pictureXml, shapeXml } from './pptx-objects.ts';
import type { SlideLedger } from './writer.ts';
import { chartXml } from './xml-chart.ts';
import { tableXml } from './xml-table.ts';
import type { LinkId } from './xml-text.ts';

/** What we use of a slide of PptxGenJS. */
export interface PptxSlide {
  background: { color: string };
  hidden: boolean;
  addText(text: unknown, options: Record<string, unknown>): void;
  addImage(options: Record<string, unknown>): void;
  addChart(type: string, data: unknown, options: Record<string, unknown>): void;
  addNotes(notes: string): void;
}

/** What stands in the file for one object of the library. */
export interface WrittenObject {
  /** From what the library wrote to what the file has. */
  readonly xml: (written: string) => string;
  readonly group: string | null;
  readonly box: Box;
  /** The chart that the object refers to. */
  readonly chart?: (external: string) => string;
}

/** A slide as it is put together when the library has written the file. */
export interface WrittenSlide {
  readonly slide: Slide;
  readonly objects: readonly WrittenObject[];
  /** Addresses by the ids that they are referred to by. */
  readonly links: ReadonlyMap<string, string>;
}

const POINTS_PER_INCH = 72;

/** A place in the unit of the library. */
export function inches({ x, y, width, height }: Box): {
  x: number;
  y: number;
  w: number;
  h: number;
} {
  const inch = (points: number): number => Math.round((points / POINTS_PER_INCH) * 10_000) / 10_000;
  return { x: inch(x), y: inch(y), w: inch(Math.max(width, 1)), h: inch(Math.max(height, 1)) };
}

/** What a slide is filled with. */
export interface Around {
  readonly deck: Deck;
  readonly typesetter: Typesetter;
  readonly readAsset: ReadAsset;
}

/** Ids below are the library's own. */
const FIRST_ID = 1_000;

interface Filling extends Around {
  readonly page: PptxSlide;
  readonly slide: Slide;
  readonly composed: Composed;
  readonly ledger: SlideLedger;
  readonly link: LinkId;
  readonly objects: WrittenObject[];
}

/** Fills a page of the library with a slide of the deck; what is native to the file comes later. */
export async function fillSlide(
  page: PptxSlide,
  slide: Slide,
  around: Around & { readonly ledger: SlideLedger },
): Promise<WrittenSlide> {
  const composed = compose(slide, around.deck, around.typesetter);
  const links = new Map<string, string>();
  const link: LinkId = (address) => {
    const known = [...links].find(([, one]) => one === address)?.[0];
    const id = known ?? `rIdLink${links.size + 1}`;
    links.set(id, address);
    return id;
  };
  const filling: Filling = { ...around, page, slide, composed, link, objects: [] };
  if (slide.background !== undefined)
    page.background = { color: composed.colours.background.slice(1) };
  if (slide.hidden === true) page.hidden = true;
  const above = slide.titleAbove ?? 0;
  for (const [index, one] of composed.blocks.slice(0, above).entries()) {
    await addBlock(one, index, filling);
  }
  addHeadings(filling);
  for (const [index, one] of composed.blocks.slice(above).entries()) {
    await addBlock(one, above + index, filling);
  }
  if (slide.notes !== undefined) page.addNotes(plainLines(slide.notes));
  return { slide, objects: filling.objects, links };
}

function idOf({ objects }: Filling): number {
  return FIRST_ID + objects.length;
}

/** An object whose place is held by a text until the file is put together. */
function addNative(
  filling: Filling,
  xml: (written: string) => string,
  of: { box: Box; group?: string | undefined; placeholder?: string },
): void {
  const where = of.placeholder === undefined ? {} : { placeholder: of.placeholder };
  filling.page.addText(' ', { ...where, ...inches(of.box) });
  filling.objects.push({ xml, group: of.group ?? null, box: of.box });
}

function addHeadings(filling: Filling): void {
  const { slide, composed, link } = filling;
  const { title, subtitle, colours, arranged } = composed;
  if (title !== null) {
    const heading = {
      runs: slide.title!,
      frame: title,
      box: arranged.title!,
      look: slide.titleFrame,
      colour: colours.text,
      name: 'Title',
    };
    const isThere = slide.layout !== 'blank';
    addNative(
      filling,
      headingXml(heading, { id: idOf(filling), link }, () => '<p:ph type="title"/>'),
      {
        box: heading.box,
        ...(isThere ? { placeholder: 'title' } : {}),
      },
    );
  }
  if (subtitle !== null) {
    const heading = {
      runs: slide.subtitle!,
      frame: subtitle,
      box: arranged.subtitle!,
      look: slide.subtitleFrame,
      colour: mix(colours.text, colours.background, 0.3),
      name: 'subtitle',
    };
    const isOpening = slide.layout === 'title' || slide.layout === 'section';
    const held = (written: string): string => /<p:ph [^>]*\/>/.exec(written)?.[0] ?? '';
    const own = { id: idOf(filling), link };
    addNative(filling, headingXml(heading, own, isOpening ? held : () => ''), {
      box: heading.box,
      ...(isOpening ? { placeholder: 'subtitle' } : {}),
    });
  }
}

async function addBlock(placed: ComposedBlock, index: number, filling: Filling): Promise<void> {
  const { block, box } = placed;
  const { group } = block;
  const { link } = filling;
  const { colours } = filling.composed;
  const id = idOf(filling);
  switch (block.kind) {
    case 'text':
    case 'shape':
      if (block.kind === 'text' && block.paragraphs.length === 0) return;
      addNative(filling, constant(shapeXml(placed, block, { id, link, colours })), { box, group });
      return;
    case 'connector':
      addNative(filling, constant(connectorXml(block, box, { id, ids: shapeIds(filling) })), {
        box,
        group,
      });
      return;
    case 'table': {
      if (block.rows.length === 0) return;
      const options = { id, box, frame: placed.table!, colours, link };
      addNative(filling, constant(tableXml(block, options)), { box, group });
      return;
    }
    case 'image':
      await addImage(block, box, filling);
      return;
    case 'chart':
      addChart(block, box, { filling, index });
  }
}

function constant(xml: string): () => string {
  return () => xml;
}

/** The number by which others name a shape. */
function shapeIds({ slide, composed }: Filling): ReadonlyMap<string, number> {
  const ids = new Map<string, number>();
  const headings = (composed.title === null ? 0 : 1) + (composed.subtitle === null ? 0 : 1);
  let at = 0;
  slide.blocks.forEach((block, index) => {
    if (index === (slide.titleAbove ?? 0)) at += headings;
    if (block.kind === 'shape' && block.id !== undefined) ids.set(block.id, FIRST_ID + at);
    const isEmpty =
      (block.kind === 'text' && block.paragraphs.length === 0) ||
      (block.kind === 'table' && block.rows.length === 0) ||
      (block.kind === 'chart' && block.series.length === 0);
    if (!isEmpty) at++;
  });
  return ids;
}

async function addImage(
  block: Extract<Block, { kind: 'image' }>,
  box: Box,
  filling: Filling,
): Promise<void> {
  const { deck, page, readAsset, objects } = filling;
  const { mediaType } = deck.assets[block.asset]!;
  const bytes = Buffer.from(await readAsset(block.asset));
  const isFitted = block.crop === undefined && block.stretch !== true;
  const place = isFitted ? fitImage(block.asset, box, deck) : box;
  page.addImage({
    data: `${mediaType};base64,${bytes.toString('base64')}`,
    ...inches(place),
    ...(block.alt === undefined ? {} : { altText: block.alt }),
  });
  objects.push({ xml: pictureXml(block, place), group: block.group ?? null, box: place });
}

function addChart(
  block: Extract<Block, { kind: 'chart' }>,
  box: Box,
  { filling, index }: { filling: Filling; index: number },
): void {
  const { page, deck, composed, objects, ledger } = filling;
  if (block.series.length === 0) {
    ledger.blocks[index]!.drop('CHART_DROPPED', 'a chart without series is not written');
    return;
  }
  // The library makes the sheet; the drawing is ours.
  const data = block.series.map(({ name, values }) => ({
    name,
    labels: block.categories,
    values: values.map((value) => value ?? 0),
  }));
  page.addChart('bar', data, inches(box));
  const { accents } = deck.theme.colours;
  objects.push({
    xml: (written) => written,
    group: block.group ?? null,
    box,
    chart: (external) => chartXml(block, { accents, colour: composed.colours.text, external }),
  });
}
