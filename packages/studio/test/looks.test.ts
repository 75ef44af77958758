// How things look where that was once wrong: words outside of the slide, colours, directions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colourIn } from '../src/convert/drawing-colour.ts';
import { openXml } from '../src/convert/xml.ts';
import { scaleOf } from '../src/draw/chart-scale.ts';
import { openTypesetter } from '../src/draw/typeset.ts';
import { fitText } from '../src/draw/text-frame.ts';
import { readFile } from './essence.ts';
import { deckWith, pptxOf } from './planted.ts';

test('text that does not wrap reaches over both sides of its box, and stays where it is', async () => {
  const typesetter = await openTypesetter();
  const style = { font: 'DejaVu Sans', bold: false, sizeOf: () => 20, align: 'left' as const };
  const runs = [{ text: 'A line that is longer than its box', size: 20 }];
  const box = { x: 100, y: 100, width: 50, height: 30 };
  const frame = fitText([{ level: 0, align: 'center', runs }], {
    box,
    style,
    typesetter,
    isWrapped: false,
  });
  const [line, ...more] = frame.wrapped.lines;
  assert.deepEqual(more, []);
  const [first, last] = [line!.pieces[0]!, line!.pieces.at(-1)!];
  const over = [-first.x, last.x + last.width - box.width].map(Math.round);
  assert.ok(over[0]! > 50 && over[0]! < 500, `${over[0]}`);
  assert.equal(over[0], over[1]);
});

test('tints and shades are mixed by light, as office programs do', async () => {
  const parse = await openXml();
  const colour = (change: string): string => {
    const inside = `<a:srgbClr val="000000">${change}</a:srgbClr>`;
    const xml = `<a:solidFill xmlns:a="a">${inside}</a:solidFill>`;
    return colourIn(parse(Buffer.from(xml), 'x'), new Map() as never)!.colour;
  };
  // What PowerPoint shows for the bands of its usual table style in black.
  assert.equal(colour('<a:tint val="20000"/>'), '#E7E7E7');
  assert.equal(colour('<a:tint val="40000"/>'), '#CBCBCB');
});

test('an axis covers its values with round steps, or has the bounds that the chart says', () => {
  const ticks = (values: number[], axis?: object): readonly number[] =>
    scaleOf(values, { isExact: false, about: 6, ...(axis === undefined ? {} : { axis }) }).ticks;
  assert.deepEqual(ticks([0, 5]), [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(ticks([-4, 5]), [-6, -4, -2, 0, 2, 4, 6]);
  assert.deepEqual(ticks([0, 5], { least: 1, most: 4, step: 1 }), [1, 2, 3, 4]);
  assert.deepEqual(ticks([0, 0]).at(-1), 1);
  const { share } = scaleOf([0, 5], { isExact: true, about: 5, axis: { reversed: true } });
  assert.deepEqual([share(0), share(5)], [1, 0]);
});

test('text that begins from right to left is exported with that direction', async () => {
  const paragraphs = ['שלום (עולם)', 'Latin שלום'].map((text) => ({ level: 0, runs: [{ text }] }));
  const deck = deckWith({ layout: 'content', blocks: [{ kind: 'text', paragraphs }] });
  const { slides } = await readFile(await pptxOf(deck), 'pptx');
  const read = slides[0]!.blocks.flatMap((one) => (one.kind === 'text' ? one.paragraphs : []));
  assert.deepEqual(
    read.map(({ direction, align }) => [direction, align]),
    [
      ['rtl', 'right'],
      [undefined, undefined],
    ],
  );
});
