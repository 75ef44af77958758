import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crowded } from '../../../../test/support/lifecycles.ts';
import { builtInLifecycles } from '../lifecycles/built-in.ts';
import { type Box, layoutOf } from './layout.ts';
import { rankOf } from '../core/phase.ts';
import type { Point, Wire } from './wires.ts';

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function overlap(one: Area, other: Area): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

/** The straight parts of an arrow, as areas without breadth. */
function partsOf({ points }: Wire): readonly Area[] {
  return points.slice(1).map(([x, y]: Point, index) => {
    const [beforeX, beforeY] = points[index]!;
    const size = { width: Math.abs(x - beforeX), height: Math.abs(y - beforeY) };
    return { x: Math.min(x, beforeX), y: Math.min(y, beforeY), ...size };
  });
}

function nameOf({ move }: Wire): string {
  return `${move.from} → ${move.to}`;
}

for (const lifecycle of [...builtInLifecycles, crowded]) {
  for (const boxHeight of [46, 62]) {
    describe(`the layout of ${lifecycle.name} with boxes ${boxHeight} high`, () => {
      const { boxes, wires, width, height } = layoutOf(lifecycle, boxHeight);

      test('keeps boxes and labels apart', () => {
        const areas = [
          ...boxes.map((box): [string, Area] => [box.node.state, box]),
          ...wires.map((wire): [string, Area] => [`label of ${nameOf(wire)}`, wire.label]),
        ];
        for (const [index, [name, area]] of areas.entries()) {
          for (const [other, otherArea] of areas.slice(0, index)) {
            assert.ok(!overlap(area, otherArea), `${name} lies over ${other}`);
          }
        }
      });

      test('leads no arrow through a box or through the label of another', () => {
        for (const wire of wires) {
          for (const part of partsOf(wire)) {
            for (const box of boxes) {
              assert.ok(!overlap(part, box), `${nameOf(wire)} runs through ${box.node.state}`);
            }
            for (const other of wires) {
              const message = `${nameOf(wire)} cuts the label of ${nameOf(other)}`;
              assert.ok(!overlap(part, other.label), message);
            }
          }
        }
      });

      test('starts and ends every arrow at the edge of its boxes', () => {
        const byState = new Map(boxes.map((box) => [box.node.state, box]));
        for (const { move, points } of wires) {
          assert.ok(isOnEdge(points[0]!, byState.get(move.from)!));
          assert.ok(isOnEdge(points.at(-1)!, byState.get(move.to)!));
        }
      });

      test('goes from left to right by rank, the happy path on one line', () => {
        const open = boxes.filter(({ node }) => !node.isTerminal).sort((a, b) => a.x - b.x);
        const ranks = open.map(({ node }) => rankOf(node.mainPhase));
        assert.deepEqual(
          ranks,
          ranks.toSorted((a, b) => a - b),
        );
        const first = boxes.find(({ node }) => node.isInitial)!;
        const success = boxes.find(({ node }) => node.mainPhase === 'succeeded')!;
        assert.equal(first.y, success.y);
      });

      test('stays within the picture', () => {
        const isInside = (area: Area): boolean =>
          area.x >= 0 &&
          area.y >= 0 &&
          area.x + area.width <= width &&
          area.y + area.height <= height;
        assert.ok(
          [...boxes, ...wires.flatMap(partsOf), ...wires.map((w) => w.label)].every(isInside),
        );
      });
    });
  }
}

function isOnEdge([x, y]: Point, box: Box): boolean {
  const isWithin = x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
  const isAtSide = x === box.x || x === box.x + box.width;
  return isWithin && (isAtSide || y === box.y || y === box.y + box.height);
}

test('the built-in pictures are readable at a width of 1000', () => {
  for (const lifecycle of builtInLifecycles) {
    assert.ok(layoutOf(lifecycle, 46).width <= 1000, lifecycle.name);
  }
});
