import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HINT_MS, LinePositions } from './line-positions.ts';

function opened(): { lines: LinePositions; calls: (readonly string[])[] } {
  const calls: (readonly string[])[] = [];
  return { lines: new LinePositions((types) => calls.push(types)), calls };
}

test('claims go on where a whole look has ended, for a second after it was sent', () => {
  const { lines } = opened();
  assert.equal(lines.hints(0), null);
  lines.learn([[7, '10', '20']], { sentAt: 100, hints: null });
  assert.equal(lines.hints(100 + HINT_MS - 1), '{"7":["10","20"]}');
  assert.equal(lines.hints(100 + HINT_MS), null);
});

test('a claim that began further on moves its lanes, and makes the second no longer', () => {
  const { lines } = opened();
  lines.learn([[7, '10', '20']], { sentAt: 100, hints: null });
  const hints = lines.hints(200);
  lines.learn(
    [
      [7, '11', '21'],
      [8, '1', '1'],
    ],
    { sentAt: 200, hints },
  );
  assert.equal(lines.hints(300), '{"7":["11","21"]}');
  assert.equal(lines.hints(100 + HINT_MS), null);
});

test('whoever waits after such a claim came short is called for a whole look', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { lines, calls } = opened();
  lines.cameShort(['a']);
  lines.cameShort(['b', 'a']);
  context.mock.timers.tick(HINT_MS - 1);
  assert.deepEqual(calls, []);
  context.mock.timers.tick(1);
  assert.deepEqual(calls, [['a', 'b']]);
  lines.cameShort(['c']);
  lines.close();
  context.mock.timers.tick(HINT_MS);
  assert.equal(calls.length, 1);
});
