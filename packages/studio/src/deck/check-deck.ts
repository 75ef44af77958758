import { Compile } from 'typebox/compile';
import type { Fault } from 'pawl/define';
import { type Deck, DeckSchema } from './deck.ts';

const compiled = Compile(DeckSchema);

const FAULTS_MAX = 20;

/** A deck, or what is wrong with it, by JSON pointer. */
export function checkDeck(
  value: unknown,
): { readonly deck: Deck } | { readonly faults: readonly Fault[] } {
  if (!compiled.Check(value)) {
    const faults = compiled
      .Errors(value)
      .slice(0, FAULTS_MAX)
      .map(({ instancePath, message }) => ({ pointer: instancePath, message }));
    return { faults };
  }
  const faults = [...idFaults(value), ...assetFaults(value)].slice(0, FAULTS_MAX);
  return faults.length > 0 ? { faults } : { deck: value };
}

function idFaults({ slides }: Deck): Fault[] {
  const seen = new Set<string>();
  return slides.flatMap(({ id }, index) => {
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    return [{ pointer: `/slides/${index}/id`, message: `"${id}" appears twice` }];
  });
}

function assetFaults({ slides, assets }: Deck): Fault[] {
  const lost = slides.flatMap(({ blocks }, slide) =>
    blocks.flatMap((block, index) => {
      if (block.kind !== 'image' || Object.hasOwn(assets, block.asset)) return [];
      const pointer = `/slides/${slide}/blocks/${index}/asset`;
      return [{ pointer, message: 'is not one of the deck’s assets' }];
    }),
  );
  const empty = Object.entries(assets).flatMap(([key, { artifact, data }]) =>
    (artifact === undefined) === (data === undefined)
      ? [{ pointer: `/assets/${key}`, message: 'needs either `artifact` or `data`' }]
      : [],
  );
  return [...lost, ...empty];
}
