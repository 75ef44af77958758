import type { Move } from '../move.ts';
import { type LifecycleEntry, placeCode } from './dictionary.ts';
import { shownToken } from './lease-token.ts';

/** A move with the numbers of its names, and its place in the call. */
export interface NumberedMove {
  readonly move: Move;
  readonly ord: number;
  readonly tenant: number;
  readonly owner: number | null;
  readonly lifecycle: LifecycleEntry;
}

/** What the jobs of a set share, in the order of the verb's parameters. */
export const SHARED = ['owner', 'token', 'actor', 'lifecycle', 'state', 'toState'] as const;

export interface SuccessSet {
  readonly head: Readonly<Record<(typeof SHARED)[number], unknown>>;
  readonly items: readonly NumberedMove[];
  /** One where it holds for all. */
  readonly tenants: readonly number[];
  readonly epochs: readonly number[];
}

/** Most come in runs that have all in common, and need no key to find their group. */
function groupsOf(all: readonly NumberedMove[]): NumberedMove[][] {
  const groups = new Map<string, NumberedMove[]>();
  let last: NumberedMove[] | null = null;
  for (const one of all) {
    if (last === null || !isAlike(last[0]!, one)) {
      const key = sharedOf(one).join('\n');
      last = groups.get(key) ?? [];
      groups.set(key, last);
    }
    last.push(one);
  }
  return [...groups.values()];
}

/** What the successes of a set have in common. */
function sharedOf({ move, owner, lifecycle }: NumberedMove): readonly unknown[] {
  const { place, steps, actor, result } = move;
  const to = steps[0]!.to.state;
  return [owner, tokenOf(move), lifecycle.number, place.state, to, actor, result === undefined];
}

function isAlike(one: NumberedMove, other: NumberedMove): boolean {
  const first = one.move;
  const second = other.move;
  return (
    one.owner === other.owner &&
    one.lifecycle === other.lifecycle &&
    shownBy(first) === shownBy(second) &&
    first.place.state === second.place.state &&
    first.steps[0]!.to.state === second.steps[0]!.to.state &&
    first.actor === second.actor &&
    (first.result === undefined) === (second.result === undefined)
  );
}

/** Successes of one owner from one place to another. */
export function setsOf(all: readonly NumberedMove[]): SuccessSet[] {
  return groupsOf(all).map((items) => {
    const { move, owner, lifecycle } = items[0]!;
    const tenants = items.map(({ tenant }) => tenant);
    const epochs = items.map(({ move: { epoch } }) => epoch);
    const isOne =
      tenants.every((tenant) => tenant === tenants[0]) &&
      epochs.every((epoch) => epoch === epochs[0]);
    return {
      head: {
        owner,
        token: tokenOf(move),
        actor: move.actor,
        lifecycle: lifecycle.number,
        state: placeCode(lifecycle, move.place),
        toState: placeCode(lifecycle, move.steps[0]!.to),
      },
      items,
      tenants: isOne ? [tenants[0]!] : tenants,
      epochs: isOne ? [epochs[0]!] : epochs,
    };
  });
}

/** The lease token that a move shows; undefined where it shows none. */
export function tokenOf(move: Move): string | undefined {
  return shownToken(shownBy(move));
}

function shownBy({ fence }: Move): string | null | undefined {
  return fence.kind === 'owner' ? fence.token : undefined;
}
