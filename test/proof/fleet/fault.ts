import type { SeededRandom } from '../../../src/core/random.ts';
import { systemTimers } from '../../../src/core/timers.ts';
import type { Clients } from './clients.ts';
import type { World } from './world.ts';

/** What a fault can lay its hands on. */
export interface Scene {
  readonly world: World;
  readonly clients: Clients;
  readonly random: SeededRandom;
}

export interface Plan {
  /** What it needs for itself alone: names of members and lines. */
  readonly victims: readonly string[];
  /** Does it, heals it, and answers whether it was really felt. */
  readonly act: () => Promise<boolean>;
}

export interface Fault {
  readonly kind: string;
  /** Null: it cannot be done in this world. */
  readonly plan: (scene: Scene) => Plan | null;
}

const never = new AbortController().signal;

export function pause(ms: number): Promise<void> {
  return systemTimers.sleep(ms, never);
}

/** Some time from one to another, in milliseconds. */
export function between(random: SeededRandom, fromMs: number, toMs: number): number {
  return fromMs + random.below(toMs - fromMs);
}
