// What a flow does, by its seed: a few steps, each a wait. Every turn begins with the first.
import { SeededRandom } from '../../../src/core/random.ts';
import type { TypeDefinition } from '../../../src/engine/define-type.ts';
import type { OnFailure, WaitRequest } from '../../../src/core/flow.ts';

const LEASE = { ttlMs: 4_000, heartbeatMs: 1_000 };
const retry = { maxAttempts: 3, backoff: { kind: 'fixed', baseMs: 200 } } as const;

/** Flows of every lifecycle that can wait, leaves that end, and one that nobody ever wakes. */
export const FLOW_TYPES: Readonly<Record<string, TypeDefinition>> = {
  flow: { lifecycle: 'task', lease: LEASE, retry },
  polled: { lifecycle: 'process', lease: LEASE, retry },
  fenced: { lifecycle: 'distributed', lease: { ttlMs: 30_000, heartbeatMs: 10_000 }, retry },
  leaf: { lifecycle: 'task', lease: LEASE, retry: { ...retry, maxAttempts: 2 } },
  paper: { lifecycle: 'document', lease: LEASE },
  stuck: { lifecycle: 'task', lease: LEASE },
};

export const PARENTS: readonly string[] = ['flow', 'polled', 'fenced'];
const LEAVES: readonly string[] = ['leaf', 'paper'];
export const MESSAGE = 'go';

export type Step =
  | {
      readonly do: 'call';
      readonly name: string;
      readonly type: string;
      readonly keys: readonly string[];
      readonly onFailure: OnFailure;
    }
  | { readonly do: 'spawn'; readonly name: string; readonly keys: readonly string[] }
  | { readonly do: 'wait'; readonly waits: readonly WaitRequest[] };

export interface Program {
  readonly steps: readonly Step[];
  readonly depth: number;
}

/** The input of a flow. */
export interface FlowInput {
  readonly seed: number;
  readonly depth: number;
}

export function programOf({ seed, depth }: FlowInput): Program {
  const random = new SeededRandom(seed);
  const steps = Array.from({ length: 1 + random.below(3) }, (_, index) =>
    stepOf(random, `s${index}`, depth),
  );
  return { steps, depth };
}

function stepOf(random: SeededRandom, name: string, depth: number): Step {
  const dice = random.next();
  const keys = Array.from({ length: 1 + random.below(3) }, (_, index) => `k${index}`);
  if (dice < 0.45) {
    const isNested = depth > 0 && random.next() < 0.3;
    const type = random.pick(isNested ? PARENTS : LEAVES);
    const onFailure = random.pick(['throw', 'collect', 'failFast'] as const);
    return { do: 'call', name, type, keys, onFailure };
  }
  if (dice < 0.6) return { do: 'spawn', name, keys };
  const sleep = { name: `${name}.t`, kind: 'time', delayMs: random.pick([0, 300, 4_000]) } as const;
  const receive = { name: `${name}.m`, kind: 'message', message: MESSAGE } as const;
  if (dice < 0.7) return { do: 'wait', waits: [sleep] };
  if (dice < 0.8) return { do: 'wait', waits: [receive, sleep] };
  const members = [
    { key: 'said', wait: receive },
    { key: 'late', wait: { ...sleep, delayMs: 20_000 } },
  ];
  return { do: 'wait', waits: [{ name, kind: 'first', members, onLose: 'cancel' }] };
}
