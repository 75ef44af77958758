// A presentation that loses nothing, and the same with one thing planted in it.
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { createHash } from 'node:crypto';
import { openSource } from '../src/convert/open-source.ts';
import type { Deck, Slide } from '../src/deck/deck.ts';
import { type Account, Ledger } from '../src/deck/losses.ts';
import { openPptxWriter } from '../src/export/pptx.ts';
import type { DeckWriter } from '../src/export/writer.ts';
import { gradient } from '../src/sample/png.ts';

const PICTURE = gradient(40, 20, 9);
export const ASSET = createHash('sha256').update(PICTURE).digest('hex');

export const readAsset = async (): Promise<Uint8Array> => PICTURE;
export const createdAt = new Date('2026-11-15T08:00:00Z');

/** A deck of one slide, in the fonts that are always there. */
export function deckWith(slide: Omit<Slide, 'id'>): Deck {
  return {
    format: 'pawl-deck',
    version: 2,
    title: 'One of each',
    size: { width: 960, height: 540 },
    theme: {
      colours: {
        background: '#FFFFFF',
        text: '#1F2933',
        accents: ['#2563EB', '#0D9488', '#D97706'],
      },
      fonts: { heading: 'DejaVu Sans', body: 'DejaVu Sans' },
    },
    assets: {
      [ASSET]: { mediaType: 'image/png', width: 40, height: 20, data: PICTURE.toString('base64') },
    },
    slides: [{ id: 's1', ...slide }],
  };
}

const at = (x: number, y: number, width = 200, height = 120) => ({ box: { x, y, width, height } });

/** Text, a shape, a picture, a table and a chart. */
export const ONE_OF_EACH: Deck = deckWith({
  layout: 'content',
  title: [{ text: 'One of each' }],
  blocks: [
    { kind: 'text', ...at(40, 120), paragraphs: [{ level: 0, runs: [{ text: 'Plain words' }] }] },
    {
      kind: 'shape',
      ...at(260, 120),
      geometry: { preset: 'roundRect', adjustments: { adj: 25_000 } },
      fill: { colour: '#2563EB', theme: 'accent1' },
      line: { colour: '#1F2933', width: 2, dash: 'dash' },
      paragraphs: [{ level: 0, runs: [{ text: 'In a shape', size: 14 }] }],
    },
    { kind: 'image', ...at(480, 120), asset: ASSET, alt: 'A gradient', stretch: true },
    {
      kind: 'table',
      ...at(40, 300),
      header: true,
      plain: true,
      rows: [[{ runs: [{ text: 'a' }] }, { runs: [{ text: 'b' }] }]],
    },
    {
      kind: 'chart',
      ...at(260, 300, 300, 200),
      chart: 'column',
      grouping: 'stacked',
      categories: ['x', 'y'],
      series: [
        { name: 'one', values: [1, 2] },
        { name: 'two', values: [3, 4] },
      ],
    },
  ],
});

/** Writes all slides of a deck; the account of each comes back. */
export async function addAll(writer: DeckWriter, { slides }: Deck): Promise<Account[]> {
  const accounts: Account[] = [];
  for (const [index, slide] of slides.entries()) {
    const ledger = new Ledger(index + 1);
    const blocks = slide.blocks.map(({ kind }) => ledger.element(kind));
    await writer.add(slide, { slide: ledger.element('slide'), blocks });
    accounts.push(ledger.close());
  }
  return accounts;
}

export async function pptxOf(deck: Deck): Promise<Uint8Array> {
  const writer = await openPptxWriter(deck, { readAsset, createdAt });
  await addAll(writer, deck);
  return writer.finish();
}

export interface Plant {
  /** Changes a part of the file by its path. */
  readonly parts: Readonly<Record<string, (xml: string) => string>>;
}

/** The file with something planted in its parts; parts that are not there are made. */
export function plantedIn(file: Uint8Array, { parts }: Plant): Uint8Array {
  const files = unzipSync(file);
  for (const [name, change] of Object.entries(parts)) {
    // The library numbers charts through all files that a process writes.
    const path =
      Object.keys(files).find((one) => one.replace(/chart\d+/, 'chart') === name) ?? name;
    const before = files[path] === undefined ? '' : strFromU8(files[path]);
    const after = change(before);
    if (after === before) throw new Error(`nothing was planted in ${path}`);
    files[path] = strToU8(after);
  }
  return zipSync(files);
}

/** What becomes of the elements of the first slide of a file. */
export async function accountOf(file: Uint8Array): Promise<Account> {
  const reader = await openSource(file, { type: 'pptx', name: null });
  const { account } = await reader.slide(0);
  await reader.close();
  return account;
}
