import { Compile } from 'typebox/compile';
import type { Fault } from 'pawl/define';
import { type Deck, DECK_VERSION, DeckSchema } from './deck.ts';

/** Compiled when the first deck is checked: not everybody who can check one does. */
let compiled: ReturnType<typeof compile> | null = null;
const compile = () => Compile(DeckSchema);

const FAULTS_MAX = 20;

/** Version 2 only has more than version 1. */
function upgraded(value: unknown): unknown {
  const isFirst = typeof value === 'object' && value !== null && 'version' in value;
  return isFirst && value.version === 1 ? { ...value, version: DECK_VERSION } : value;
}

/** A deck in today's version, or what is wrong with it, by JSON pointer. */
export function checkDeck(
  given: unknown,
): { readonly deck: Deck } | { readonly faults: readonly Fault[] } {
  const value = upgraded(given);
  compiled ??= compile();
  if (!compiled.Check(value)) {
    const faults = compiled
      .Errors(value)
      .slice(0, FAULTS_MAX)
      .map(({ instancePath, message }) => ({ pointer: instancePath, message }));
    return { faults };
  }
  const faults = [...idFaults(value), ...groupFaults(value), ...assetFaults(value)].slice(
    0,
    FAULTS_MAX,
  );
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

/** Groups that blocks name, and that contain no group which contains them. */
function groupFaults({ slides }: Deck): Fault[] {
  return slides.flatMap(({ blocks, groups = [] }, slide) => {
    const known = new Set<string>();
    const wrong = groups.flatMap(({ id, parent }, index) => {
      const isGood = !known.has(id) && (parent === undefined || known.has(parent));
      known.add(id);
      const message = 'must be a new id, below a group that is listed before';
      return isGood ? [] : [{ pointer: `/slides/${slide}/groups/${index}`, message }];
    });
    const lost = blocks.flatMap(({ group }, index) => {
      if (group === undefined || known.has(group)) return [];
      const pointer = `/slides/${slide}/blocks/${index}/group`;
      return [{ pointer, message: 'is not one of the slide’s groups' }];
    });
    return [...wrong, ...lost];
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
