// What a deck has a presentation has, and the other way round: shapes, turns, crops, spans, charts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Block, Deck, Slide } from '../src/deck/deck.ts';
import { readFile } from './essence.ts';
import { ASSET, deckWith, pptxOf } from './planted.ts';

const at = (x: number, y: number, width = 160, height = 90) => ({ x, y, width, height });
const words = (text: string) => [{ level: 0, runs: [{ text, size: 12 }] }];
const black = { colour: '#000000', width: 1 };
const inset = { left: 4, top: 2, right: 4, bottom: 2 };

const SHAPES: readonly Block[] = [
  {
    kind: 'shape',
    id: '1000',
    box: at(20, 20),
    geometry: { preset: 'star5', adjustments: { adj: 20_000 } },
    fill: {
      angle: 90,
      stops: [
        { at: 0, colour: '#FF0000' },
        { at: 1, colour: '#0000FF', opacity: 0.5 },
      ],
    },
    line: { ...black, width: 3, dash: 'longDash' },
    shadow: { colour: '#000000', opacity: 0.4, blur: 4, distance: 3, angle: 45 },
    rotation: 30,
    paragraphs: words('star'),
    anchor: 'middle',
    inset,
  },
  {
    kind: 'shape',
    id: '1001',
    box: at(220, 20),
    geometry: { paths: [{ commands: 'M 0 0 L 1 0.5 C 1 1 0.5 1 0 1 Z' }] },
    fill: { colour: '#0D9488', theme: 'accent2' },
    flip: 'horizontal',
  },
  {
    kind: 'connector',
    box: at(180, 40, 40, 20),
    geometry: { preset: 'bentConnector3', adjustments: { adj1: 30_000 } },
    line: { ...black, end: { head: 'triangle' }, start: { head: 'oval', size: 'large' } },
    from: { shape: '1000', site: 3 },
    to: { shape: '1001', site: 1 },
  },
  {
    kind: 'image',
    asset: ASSET,
    box: at(420, 20),
    crop: { left: 0.25, top: 0.1, right: 0.3, bottom: 0 },
    geometry: { preset: 'ellipse' },
    rotation: 300,
    opacity: 0.6,
    stretch: true,
  },
  {
    kind: 'shape',
    box: at(620, 20),
    geometry: { preset: 'rect' },
    fill: { colour: '#ABCDEF' },
    group: 'g1',
  },
  {
    kind: 'shape',
    box: at(800, 20, 50),
    geometry: { preset: 'sun' },
    fill: { colour: '#FFCC00' },
    group: 'g2',
  },
];

const TABLE: Block = {
  kind: 'table',
  box: at(20, 200, 300, 120),
  header: false,
  plain: true,
  widths: [100, 100, 100],
  heights: [40, 40, 40],
  rows: [
    [
      { runs: [{ text: 'wide', size: 10 }], columns: 2, fill: { colour: '#FFDC00' } },
      { runs: [{ text: 'high', size: 10 }], rows: 3 },
    ],
    [
      { runs: [{ text: 'a', size: 10 }], borders: { left: black, bottom: { ...black, width: 2 } } },
      { runs: [{ text: 'b', size: 10 }], align: 'right' },
    ],
    [{ runs: [{ text: 'c', size: 10 }], anchor: 'bottom' }, { runs: [{ text: 'd', size: 10 }] }],
  ],
};

const series = [
  { name: 'one', values: [1, 2, null] },
  { name: 'two', values: [3, 4, 5], colour: '#123456' },
  { name: 'three', values: [5, -6, 7] },
];
const categories = ['x', 'y', 'z'];
const chartAt = (index: number) => ({
  kind: 'chart' as const,
  box: at(340 + index * 90, 200, 80, 80),
  categories,
});

const CHARTS: readonly Block[] = [
  { ...chartAt(0), chart: 'column', grouping: 'stacked', series },
  { ...chartAt(1), chart: 'bar', grouping: 'percent', series },
  { ...chartAt(2), chart: 'area', grouping: 'stacked', series },
  {
    ...chartAt(3),
    chart: 'doughnut',
    series: series.map(({ name, values }) => ({ name, values })),
    hole: 0.6,
  },
  { ...chartAt(7), chart: 'line', series: [series[1]!], points: false },
  { ...chartAt(4), chart: 'column', series: [series[0]!, { ...series[1]!, chart: 'line' }] },
  {
    ...chartAt(6),
    chart: 'bar',
    series: [{ ...series[0]!, colours: [null, '#ABCDEF'] }, series[1]!],
    legend: 'right',
    size: 9,
    fromBelow: true,
    gap: 1.5,
    axis: { least: -2, most: 8, step: 2, reversed: true },
  },
  {
    ...chartAt(5),
    chart: 'scatter',
    categories: ['0.5', '1.5', '4'],
    series: [{ name: 'p', values: [1, 2, 3], x: [0.5, 1.5, 4] }],
    joined: true,
    unlabelled: 'values',
  },
];

const TEXT: Block = {
  kind: 'text',
  box: at(20, 360, 400, 150),
  inset,
  paragraphs: [
    {
      level: 1,
      list: 'number',
      numbering: 'lowerRoman',
      start: 4,
      align: 'right',
      spacing: { before: 6, after: 3, line: 1.16 },
      indent: { left: 36, first: -18 },
      runs: [
        { text: 'small', size: 10, font: 'Georgia', language: 'de-DE' },
        { text: 'large', size: 40, colour: '#0D9488', theme: 'accent2' },
      ],
    },
    {
      level: 0,
      list: 'bullet',
      marker: '➢',
      direction: 'rtl',
      spacing: { line: 0.97 },
      indent: { left: 18, first: -18 },
      runs: [{ text: 'שלום', size: 18 }],
    },
  ],
};

const SLIDE: Omit<Slide, 'id'> = {
  layout: 'content',
  title: [{ text: 'Everything', size: 36 }],
  titleBox: at(500, 400, 300, 60),
  titleFrame: { align: 'center', anchor: 'bottom', inset },
  titleAbove: 2,
  blocks: [...SHAPES, TABLE, ...CHARTS, TEXT],
  groups: [
    { id: 'g1', box: at(600, 10, 280, 110), name: 'Outer' },
    { id: 'g2', parent: 'g1', box: at(800, 20, 50), name: 'Inner' },
  ],
  hidden: true,
};

/** Without where it came from and what is said by default. */
function bare(slide: Slide): object {
  return {
    ...slide,
    origin: null,
    blocks: slide.blocks.map((one) => plain({ ...one, origin: {} })),
  };
}

function plain(block: Block): object {
  const text = JSON.stringify(block).replaceAll(/,"language":"en-US"/g, '');
  return JSON.parse(text) as object;
}

async function again(deck: Deck): Promise<Deck> {
  const { slides } = await readFile(await pptxOf(deck), 'pptx');
  return { ...deck, slides };
}

describe('a presentation made of a deck', () => {
  test('[T1] gives back its shapes, turns, crops, groups, spans, series, stacks and hidden slides', async () => {
    const deck = deckWith(SLIDE);
    const first = (await again(deck)).slides[0]!;
    const kinds = ({ blocks }: Omit<Slide, 'id'>): string[] => blocks.map(({ kind }) => kind);
    assert.deepEqual(kinds(first), kinds(SLIDE));
    assert.deepEqual([first.hidden, first.titleAbove, first.groups], [true, 2, SLIDE.groups]);
    first.blocks.forEach((block, index) => {
      const wanted = SLIDE.blocks[index]!;
      const { origin: _, ...found } = block;
      const keys = Object.keys(wanted).filter((key) => key !== 'paragraphs' && key !== 'plain');
      const of = (from: object): object =>
        JSON.parse(
          JSON.stringify(
            Object.fromEntries(keys.map((key) => [key, (from as Record<string, unknown>)[key]])),
          ).replaceAll(',"language":"en-US"', ''),
        );
      assert.deepEqual(of(found), of(wanted), `block ${index} ${block.kind}`);
    });
    const text = first.blocks.at(-1)!;
    assert.deepEqual(
      plain(text.kind === 'text' ? { ...text, paragraphs: text.paragraphs } : text),
      {
        ...plain(TEXT),
        origin: text.origin,
      },
    );
  });

  test('[T1] says the same when it is read and written once more', async () => {
    const once = await again(deckWith(SLIDE));
    const twice = await again(once);
    assert.deepEqual(bare(twice.slides[0]!), bare(once.slides[0]!));
  });
});
