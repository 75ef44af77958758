// The deck format: published, and kept by everything that is called a deck.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { inRepository } from '../../../scripts/run/repository.ts';
import { studioFiles } from '../../../scripts/studio/reference.ts';
import { checkDeck } from '../src/deck/check-deck.ts';
import type { Deck } from '../src/deck/deck.ts';
import { deckOf } from './corpus.ts';

function pointersOf(deck: unknown): string[] {
  const checked = checkDeck(deck);
  return 'faults' in checked ? checked.faults.map(({ pointer }) => pointer) : [];
}

describe('a deck', () => {
  for (const [path, text] of studioFiles()) {
    test(`[T30] has its reference in ${path}, as the code says it`, () => {
      const hint = 'run npm run reference';
      const written = readFileSync(inRepository(path), 'utf8');
      // How JSON is laid out is the formatter's.
      if (path.endsWith('.json')) assert.deepEqual(JSON.parse(written), JSON.parse(text), hint);
      else assert.equal(written, text, hint);
    });
  }

  test('is refused with each fault by its place', () => {
    const deck = deckOf(2);
    assert.deepEqual(pointersOf(deck), []);
    assert.deepEqual(pointersOf({ ...deck, version: 3 }), ['/version']);
    assert.deepEqual(pointersOf({ ...deck, slides: [] }), ['/slides']);
    assert.deepEqual(pointersOf({ ...deck, slides: [deck.slides[0], deck.slides[0]] }), [
      '/slides/1/id',
    ]);
    assert.ok(pointersOf(null).length > 0);
  });

  test('of version 1 is read as it is, in the version of today', () => {
    const deck = deckOf(2);
    const checked = checkDeck({ ...deck, version: 1 });
    assert.deepEqual('deck' in checked && checked.deck, deck);
  });

  test('is refused with blocks in groups that are nowhere, or that contain themselves', () => {
    const { slides, ...rest } = deckOf(2);
    const blocks = [{ kind: 'text' as const, paragraphs: [], group: 'b' }];
    const withGroups = (groups: object[]): unknown => ({
      ...rest,
      slides: [{ ...slides[0]!, blocks, groups }],
    });
    assert.deepEqual(pointersOf(withGroups([{ id: 'a' }, { id: 'b', parent: 'a' }])), []);
    assert.deepEqual(pointersOf(withGroups([])), ['/slides/0/blocks/0/group']);
    const circle = [
      { id: 'a', parent: 'b' },
      { id: 'b', parent: 'a' },
    ];
    assert.deepEqual(pointersOf(withGroups(circle)), ['/slides/0/groups/0']);
  });

  test('is refused with an image that is nowhere, or in two places', () => {
    const { slides, ...rest } = deckOf(2);
    const asset = 'e'.repeat(64);
    const slide = { ...slides[0]!, blocks: [{ kind: 'image' as const, asset }] };
    const deck: Deck = { ...rest, assets: {}, slides: [slide] };
    assert.deepEqual(pointersOf(deck), ['/slides/0/blocks/0/asset']);
    const size = { mediaType: 'image/png', width: 1, height: 1 } as const;
    const both = { ...size, artifact: 'a', data: 'AAAA' };
    assert.deepEqual(pointersOf({ ...deck, assets: { [asset]: both } }), [`/assets/${asset}`]);
    assert.deepEqual(pointersOf({ ...deck, assets: { [asset]: size } }), [`/assets/${asset}`]);
  });

  test('takes no link that a browser could run', () => {
    const { slides, ...rest } = deckOf(2);
    const title = [{ text: 'x', link: 'javascript:alert(1)' }];
    const deck = { ...rest, slides: [{ ...slides[0]!, title }] };
    assert.deepEqual(pointersOf(deck), ['/slides/0/title/0/link']);
  });
});
