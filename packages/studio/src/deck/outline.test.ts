import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addGuides, builtInGuides, valueOf } from './guides.ts';
import { commandsOf, outlineOf, presets } from './outline.ts';

const BOX = { x: 0, y: 0, width: 200, height: 100 };

describe('the formulas of shapes', () => {
  test('give what the standard says of each operator', () => {
    const guides = builtInGuides(200, 100);
    const cases: readonly [string, number][] = [
      ['val 7', 7],
      ['*/ w 1 4', 50],
      ['+- w h 20', 280],
      ['+/ w h 3', 100],
      ['?: 1 5 6', 5],
      ['?: 0 5 6', 6],
      ['abs -3', 3],
      ['sqrt 81', 9],
      ['min w h 0', 100],
      ['max w h', 200],
      ['pin 10 5 20', 10],
      ['mod 3 4 0', 5],
      ['sin 100 5400000', 100],
      ['cos 100 10800000', -100],
      ['tan 100 2700000', 100],
      ['at2 1 1', 2_700_000],
      ['cat2 5 3 4', 3],
      ['sat2 5 3 4', 4],
      ['*/ w 1 0', 0],
      ['unknown 1 2 3', 0],
    ];
    for (const [formula, expected] of cases) {
      addGuides(guides, [['x', formula]]);
      assert.equal(Math.round(valueOf(guides, 'x') * 1e6) / 1e6, expected, formula);
    }
  });

  test('draw each of the 187 presets with finite numbers, in any box', () => {
    assert.equal(presets().size, 187);
    for (const name of presets().keys()) {
      for (const [width, height] of [
        [200, 100],
        [10, 300],
        [0, 50],
      ] as const) {
        const { paths, text } = outlineOf({ preset: name }, { width, height });
        const numbers = paths.flatMap(({ steps }) => steps.flatMap(([, ...rest]) => rest));
        assert.ok(numbers.length > 0, name);
        assert.ok([...numbers, ...text].every(Number.isFinite), `${name} ${width} × ${height}`);
      }
    }
  });

  test('follow the adjustments of a shape, and go round a whole ellipse', () => {
    const corner = (adj: number): unknown =>
      outlineOf({ preset: 'roundRect', adjustments: { adj } }, BOX).paths[0]!.steps[0];
    assert.deepEqual(corner(25_000), ['M', 0, 25]);
    assert.deepEqual(corner(10_000), ['M', 0, 10]);
    const { steps } = outlineOf({ preset: 'ellipse' }, BOX).paths[0]!;
    const ends = steps.flatMap((step) =>
      step[0] === 'C' ? [[Math.round(step[5]), Math.round(step[6])].join()] : [],
    );
    assert.deepEqual(ends, ['100,0', '200,50', '100,100', '0,50']);
  });

  test('an unknown preset is a rectangle, and a path keeps its place in the box', () => {
    const rectangle = outlineOf({ preset: 'rect' }, BOX).paths;
    assert.deepEqual(outlineOf({ preset: 'noSuchShape' }, BOX).paths, rectangle);
    const commands = commandsOf(rectangle[0]!.steps, BOX);
    assert.equal(commands, 'M 0 0 L 1 0 L 1 1 L 0 1 Z');
    assert.deepEqual(
      outlineOf({ paths: [{ commands }] }, BOX).paths[0]!.steps,
      rectangle[0]!.steps,
    );
  });
});
