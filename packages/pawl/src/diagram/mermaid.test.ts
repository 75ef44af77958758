import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crowded } from '../../../../test/support/lifecycles.ts';
import { builtInLifecycles } from '../lifecycles/built-in.ts';
import { task } from '../lifecycles/task.ts';
import { mermaidOf } from './mermaid.ts';
import { placeName } from '../core/lifecycle.ts';

const GRAMMAR: readonly RegExp[] = [
  /^stateDiagram-v2$/,
  /^ {4}direction LR$/,
  /^ {4}state "[^"]+" as [A-Za-z]\w*$/,
  /^ {4}\[\*\] --> [A-Za-z]\w*$/,
  /^ {4}[A-Za-z]\w* --> \[\*\]$/,
  /^ {4}[A-Za-z]\w* --> [A-Za-z]\w* : [^:;\n]+$/,
];

/** The diagram read back: names by id, and arrows as `from > to` with their causes. */
function read(text: string): { names: string[]; arrows: Map<string, string[]>; ends: string[] } {
  const ids = new Map<string, string>();
  const names: string[] = [];
  const arrows = new Map<string, string[]>();
  const ends: string[] = [];
  for (const line of text.split('\n')) {
    const node = /state "(.+)" as (\w+)$/.exec(line);
    const arrow = /(\w+) --> (\w+) : (.+)$/.exec(line);
    const end = /(\w+) --> \[\*\]$/.exec(line);
    if (node !== null) ids.set(node[2]!, node[1]!);
    if (node !== null) names.push(node[1]!);
    if (end !== null) ends.push(ids.get(end[1]!)!);
    if (arrow === null) continue;
    const key = `${ids.get(arrow[1]!)} > ${ids.get(arrow[2]!)}`;
    assert.ok(!arrows.has(key), `${key} is drawn twice`);
    arrows.set(key, arrow[3]!.split(', '));
  }
  return { names, arrows, ends };
}

for (const lifecycle of [...builtInLifecycles, crowded]) {
  describe(`the Mermaid diagram of ${lifecycle.name}`, () => {
    const folded = mermaidOf(lifecycle);

    test('uses only constructs that Mermaid knows', () => {
      for (const text of [folded, mermaidOf(lifecycle, { phases: true })]) {
        for (const line of text.trimEnd().split('\n')) {
          assert.ok(
            GRAMMAR.some((form) => form.test(line)),
            line,
          );
        }
      }
    });

    test('shows every state once, and the terminal ones as ends', () => {
      const { names, ends } = read(folded);
      assert.deepEqual(names, [...new Set(lifecycle.places.map(({ state }) => state))]);
      assert.ok(ends.length > 0);
      assert.ok(
        ends.every((state) => lifecycle.transitions.every((row) => row.from.state !== state)),
      );
    });

    test('shows every listed row once, with its guard, and no other', () => {
      const drawn = [...read(folded).arrows].flatMap(([key, causes]) =>
        causes.map((cause) => `${key} : ${cause.replace(/ \(?↻\)?$/, '')}`),
      );
      const listed = lifecycle.transitions.map(({ on, from, to, when }) => {
        return `${from.state} > ${to.state} : ${on}${when === null ? '' : ` [${when}]`}`;
      });
      assert.equal(new Set(drawn).size, drawn.length);
      assert.deepEqual(new Set(drawn), new Set(listed));
    });

    test('can show every phase as a node of its own', () => {
      const { names } = read(mermaidOf(lifecycle, { phases: true }));
      assert.equal(names.length, lifecycle.places.length);
    });

    test('is the same every time', () => {
      assert.equal(mermaidOf(lifecycle), folded);
    });
  });
}

test('words that Mermaid reads as its own are renamed, not shown otherwise', () => {
  const text = mermaidOf(crowded);
  assert.match(text, /state "end" as end_$/m);
  assert.match(text, /state "cooling-down" as cooling_down$/m);
  assert.doesNotMatch(text, /--> end$/m);
});

test('phases are named where a state has several', () => {
  const { names } = read(mermaidOf(task, { phases: true }));
  const several = task.places.filter(({ state }) => state === 'running').map(placeName);
  assert.deepEqual(names, ['pending', ...several, 'succeeded', 'failed', 'canceled']);
});

test('text is escaped', () => {
  const odd = { ...task, places: [{ state: 'a"b#;', phase: 'ready' as const }], transitions: [] };
  assert.match(mermaidOf(odd), /state "a#34;b#35;#59;" as a_b__$/m);
});
