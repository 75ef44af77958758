import { type Instant, ManualClock } from '../core/clock.ts';
import { seededIds } from '../core/ids.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import { SeededRandom } from '../core/random.ts';
import type { EngineContext, EngineLog } from '../engine/context.ts';
import { Engine } from '../engine/engine.ts';
import type { LinkSigning } from '../engine/flows/message-link.ts';
import { openContext } from '../engine/open-context.ts';
import { openMemoryStore } from '../store/memory/store.ts';
import type { Store } from '../store/store.ts';

/** What a store needs from outside. */
export interface StorePorts {
  readonly lifecycles: readonly Lifecycle[];
  readonly clock: ManualClock;
}

export type OpenStore = (ports: StorePorts) => Promise<Store>;

export const inMemory: OpenStore = async (ports) => openMemoryStore(ports);

export interface SeededEngineOptions {
  readonly lifecycles: readonly Lifecycle[];
  readonly store?: OpenStore;
  readonly seed?: number;
  readonly startAt?: Instant;
  readonly log?: EngineLog;
  readonly links?: LinkSigning;
}

/** The real engine, with time that moves only when told to and chance that repeats itself. */
export interface SeededEngine {
  readonly clock: ManualClock;
  readonly random: SeededRandom;
  readonly store: Store;
  readonly context: EngineContext;
  readonly engine: Engine;
}

export async function openSeededEngine(options: SeededEngineOptions): Promise<SeededEngine> {
  const { lifecycles, store: open = inMemory, seed = 1, startAt, log, links = null } = options;
  const clock = new ManualClock(startAt);
  const random = new SeededRandom(seed);
  const store = await open({ lifecycles, clock });
  const ids = seededIds(clock, new SeededRandom(seed + 1));
  const parts = { store, lifecycles, random, ids, clock, links, live: { everyMs: 5 } };
  const context = openContext(log === undefined ? parts : { ...parts, log });
  return { clock, random, store, context, engine: new Engine(context) };
}
