import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crowded } from '../../../../test/support/lifecycles.ts';
import { builtInLifecycles } from '../lifecycles/built-in.ts';
import { document } from '../lifecycles/document.ts';
import { svgOf } from './svg.ts';
import { escapeXml } from './text.ts';

/** Tags in order, with their attributes; fails on text that is no well-formed XML. */
function tagsOf(svg: string): string[] {
  const open: string[] = [];
  const tags = [
    ...svg.matchAll(/<(\/?)([\w-]+)((?:\s[\w:-]+="[^"<&]*(?:&#\d+;[^"<&]*)*")*)\s*(\/?)>/g),
  ];
  const rest = svg.replaceAll(/<\/?[^<>]*>/g, '');
  assert.doesNotMatch(rest, /[<]|&(?!#\d+;)/);
  assert.equal(tags.length, [...svg.matchAll(/</g)].length);
  for (const [, closing, name, , selfClosing] of tags) {
    if (closing === '/') assert.equal(open.pop(), name);
    else if (selfClosing !== '/') open.push(name!);
  }
  assert.deepEqual(open, []);
  return tags.map(([tag]) => tag);
}

for (const lifecycle of [...builtInLifecycles, crowded]) {
  describe(`the picture of ${lifecycle.name}`, () => {
    const svg = svgOf(lifecycle);

    test('is well-formed and needs nothing from elsewhere', () => {
      tagsOf(svg);
      assert.doesNotMatch(svg, /<script|<image|@import|@font-face|url\(|href/);
      assert.match(svg, /prefers-color-scheme:dark/);
    });

    test('shows every state once, with its phases in words', () => {
      const states = [...svg.matchAll(/data-state="([^"]+)"/g)].map((match) => match[1]);
      assert.equal(states.length, new Set(states).size);
      assert.deepEqual(new Set(states), new Set(lifecycle.places.map(({ state }) => state)));
      for (const { state, phase } of lifecycle.places) {
        const group = svg.split(`data-state="${state}"`)[1]!.split('</g>')[0]!;
        assert.ok(group.includes(phase), `${state} does not say ${phase}`);
      }
    });

    test('shows every listed move once, and no other', () => {
      const moves = [...svg.matchAll(/data-from="([^"]+)" data-to="([^"]+)"/g)];
      const drawn = moves.map(([, from, to]) => `${from} > ${to}`);
      const listed = lifecycle.transitions.map(({ from, to }) => `${from.state} > ${to.state}`);
      assert.equal(new Set(drawn).size, drawn.length);
      assert.deepEqual(new Set(drawn), new Set(listed));
    });

    test('tells the moves in words to those who cannot see them', () => {
      assert.match(svg, /role="img" aria-labelledby="[\w-]+-title [\w-]+-desc"/);
      const desc = /<desc[^>]*>(.*)<\/desc>/.exec(svg)![1]!;
      for (const { from, to, on } of lifecycle.transitions) {
        assert.match(desc, new RegExp(`${from.state} to ${to.state} on [^;]*\\b${on}\\b`));
      }
    });

    test('is the same every time', () => {
      assert.equal(svgOf(lifecycle), svg);
    });
  });
}

describe('a picture of live jobs', () => {
  test('shows counts, in groups of three digits', () => {
    const svg = svgOf(document, { counts: { QUEUED: 1_234_567, RUNNING: 1, FAILED: 0 } });
    tagsOf(svg);
    for (const text of ['1,234,567 jobs', '>1 job<', '>0 jobs<'])
      assert.ok(svg.includes(text), text);
  });

  test('says where the job is, in a word as well as by a ring', () => {
    const svg = svgOf(document, { current: 'RUNNING' });
    assert.equal(svg.match(/class="ring"/g)?.length, 1);
    assert.ok(svg.split('data-state="RUNNING"')[1]!.split('</g>')[0]!.includes('>now<'));
  });

  test('marks the path that was taken and fades the rest', () => {
    const svg = svgOf(document, { visited: ['CREATED', 'QUEUED', 'RUNNING'] });
    const taken = [...svg.matchAll(/class="move[^"]* taken" data-from="(\w+)" data-to="(\w+)"/g)];
    assert.deepEqual(
      taken.map(([, from, to]) => `${from} > ${to}`),
      ['CREATED > QUEUED', 'QUEUED > RUNNING'],
    );
    assert.match(svg, /class="state faded" data-state="FAILED"/);
    assert.match(svg, /class="state" data-state="QUEUED"/);
  });
});

test('text is escaped', () => {
  const state = `<b a="1">&'`;
  const odd = {
    ...document,
    name: 'x"<y>&',
    initial: { state, phase: 'held' as const },
    places: [
      { state, phase: 'held' as const },
      { state: 'end', phase: 'succeeded' as const },
    ],
    transitions: [],
  };
  const svg = svgOf(odd, { current: state, visited: [state], counts: { [state]: 1 } });
  tagsOf(svg);
  assert.ok(svg.includes(escapeXml(state)));
  assert.ok(!svg.includes('<b '));
});
