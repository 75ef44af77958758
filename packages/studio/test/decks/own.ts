// Presentations of our own, written by export from decks that have what a deck can have.
import { readFileSync } from 'node:fs';
import type { Deck } from '../../src/deck/deck.ts';
import { openPptxWriter } from '../../src/export/pptx.ts';
import { sampleDeck } from '../../src/sample/deck.ts';
import { assetReader, deckOf } from '../corpus.ts';
import { addAll, createdAt, ONE_OF_EACH } from '../planted.ts';
import { SCRIPTS } from '../script-lines.ts';
import { inRepository } from '../../../../scripts/run/repository.ts';
import type { FoundFile } from './packages.ts';

const SEEDS = 10;

/** At least three as in the corpus of the round trip, and what has a look of its own. */
export async function ownFiles(): Promise<FoundFile[]> {
  const decks: (readonly [string, Deck])[] = [
    ['one-of-each.pptx', ONE_OF_EACH],
    ['scripts.pptx', SCRIPTS],
    ['sample.pptx', sampleDeck(6)],
    ...Array.from(
      { length: SEEDS },
      (_, seed) => [`seed-${seed + 1}.pptx`, deckOf(seed + 1)] as const,
    ),
  ];
  const about = { origin: 'Pawl', licence: 'MIT', notice: 'Made by the tests of this repository.' };
  const files: FoundFile[] = [];
  for (const [name, deck] of decks) {
    const writer = await openPptxWriter(deck, { readAsset: assetReader(deck), createdAt });
    await addAll(writer, deck);
    files.push({ ...about, name, bytes: await writer.finish() });
  }
  const harbour = inRepository('test/fixtures/documents/harbour.pptx');
  files.push({ ...about, name: 'harbour.pptx', bytes: readFileSync(harbour) });
  return files;
}
