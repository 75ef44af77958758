import type { SeededRandom } from 'pawl/internal/core/random';
import { systemTimers } from 'pawl/internal/core/timers';
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

const PATIENCE_MS = 3_000;

/** For some time, and then a while longer if nobody has felt anything yet. */
export async function pauseUntilFelt(ms: number, isFelt: () => boolean): Promise<boolean> {
  await pause(ms);
  const until = performance.now() + PATIENCE_MS;
  while (!isFelt() && performance.now() < until) await pause(50);
  return isFelt();
}

/** Some time from one to another, in milliseconds. */
export function between(random: SeededRandom, fromMs: number, toMs: number): number {
  return fromMs + random.below(toMs - fromMs);
}
