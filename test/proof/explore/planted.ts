// Mistakes between the engine and the real SQLite store, which exploring must find.
import type { Move, MoveOutcome } from 'pawl/internal/store/move';
import type { Store } from 'pawl/internal/store/store';

/** Nobody here claims in the same call. */
interface Changed extends Partial<Omit<Store, 'apply'>> {
  readonly apply?: (moves: readonly Move[]) => Promise<MoveOutcome[]>;
}

type Change = (store: Store) => Changed;

function changed(change: Change): (store: Store) => Store {
  return (store) => {
    const wrong = change(store);
    return new Proxy(store, {
      get: (target, name: keyof Store) => {
        const member: unknown = wrong[name] ?? Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  };
}

async function withoutFence(store: Store, move: Move): Promise<Move> {
  const [job] = await store.read([move]);
  return { ...move, fence: { kind: 'version', version: job?.version ?? 0 } };
}

/** By the law that tells. */
export const PLANTED_IN_SQLITE: Readonly<
  Record<string, { tells: string; wrap: (store: Store) => Store }>
> = {
  'an owner may settle after its deadline': {
    tells: 'X1',
    wrap: changed((store) => ({
      apply: async (moves) =>
        store.apply(await Promise.all(moves.map((move) => withoutFence(store, move)))),
    })),
  },
  'a former owner may still commit an artifact': {
    tells: 'X1',
    wrap: changed((store) => ({
      records: {
        ...store.records,
        write: (ops) => store.records.write(ops.filter(({ op }) => op !== 'fence')),
      },
    })),
  },
  'a completion that came too late is told that it was accepted': {
    tells: 'X1',
    wrap: changed((store) => ({
      apply: async (moves) => {
        const outcomes = await store.apply(moves);
        const at = await store.now();
        return outcomes.map((outcome, index) =>
          outcome.kind === 'missed' && moves[index]!.steps.at(-1)?.to.phase === 'succeeded'
            ? { kind: 'moved', version: 1, at }
            : outcome,
        );
      },
    })),
  },
  'a cancel is only noted': {
    tells: 'X5',
    wrap: changed((store) => ({
      apply: (moves) =>
        store.apply(
          moves.map((move) =>
            move.steps.at(-1)?.to.phase !== 'cancelled'
              ? move
              : { ...move, steps: [], annotation: noted },
          ),
        ),
    })),
  },
  'expired leases are never swept': {
    tells: 'I20',
    wrap: changed(() => ({ expired: async () => [] })),
  },
};

const noted = {
  event: 'job_cancel_requested',
  cause: null,
  payload: null,
  cancel: { mode: 'soft', reason: null },
} as const;
