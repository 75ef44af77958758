// Whoever wants the fleet to fail: some faults at a time, of the kind that was done least often.
import { CLOCK_FAULTS, DISK_FAULTS } from './disk-faults.ts';
import { between, type Fault, pause, type Plan, type Scene } from './fault.ts';
import { NETWORK_FAULTS } from './network-faults.ts';
import { PROCESS_FAULTS } from './process-faults.ts';
import { STORE_FAULTS } from './store-faults.ts';

const CANCEL_STORM: Fault = {
  kind: 'a storm of cancels',
  plan: ({ clients, random }) => ({
    victims: [],
    act: async () => {
      for (let tries = 0; tries < 10; tries++) {
        if ((await clients.cancelMany(between(random, 10, 40))) > 0) return true;
        await pause(300);
      }
      return false;
    },
  }),
};

export const FAULTS: readonly Fault[] = [
  ...PROCESS_FAULTS,
  ...STORE_FAULTS,
  ...DISK_FAULTS,
  ...NETWORK_FAULTS,
  ...CLOCK_FAULTS,
  CANCEL_STORM,
];

/** How often a kind was done, and how often it was felt. */
export interface Count {
  done: number;
  felt: number;
}

export interface AttackOptions {
  readonly scene: Scene;
  readonly faults: readonly Fault[];
  /** How many faults must be felt. */
  readonly count: number;
  readonly lanes: number;
  readonly isTimeLeft: () => boolean;
  /** Over all worlds of a campaign. */
  readonly counts: Map<string, Count>;
}

/** Does harm until it has done enough, or has no time left. */
export class Nemesis {
  readonly #options: AttackOptions;
  readonly #held: Set<string> = new Set();
  #underWay = 0;
  #felt = 0;

  constructor(options: AttackOptions) {
    this.#options = options;
  }

  /** How many faults were felt by now. */
  get felt(): number {
    return this.#felt;
  }

  async attack(): Promise<void> {
    const { lanes } = this.#options;
    await Promise.all(Array.from({ length: lanes }, () => this.#lane()));
  }

  async #lane(): Promise<void> {
    const { count, isTimeLeft, scene, counts } = this.#options;
    while (this.#felt < count && isTimeLeft()) {
      const chosen = this.#felt + this.#underWay < count ? this.#choose() : null;
      if (chosen === null) {
        await pause(50);
        continue;
      }
      const { fault, plan } = chosen;
      this.#underWay += 1;
      for (const victim of plan.victims) this.#held.add(victim);
      const kept = counts.get(fault.kind) ?? { done: 0, felt: 0 };
      counts.set(fault.kind, kept);
      kept.done += 1;
      const isFelt = await plan.act().catch(() => false);
      kept.felt += isFelt ? 1 : 0;
      this.#felt += isFelt ? 1 : 0;
      this.#underWay -= 1;
      for (const victim of plan.victims) this.#held.delete(victim);
      await pause(between(scene.random, 50, 500));
    }
  }

  /** What was done least often comes first; chance decides among equals. */
  #choose(): { fault: Fault; plan: Plan } | null {
    const { faults, scene, counts } = this.#options;
    const inOrder = faults
      .map((fault) => ({ fault, rank: (counts.get(fault.kind)?.done ?? 0) + scene.random.next() }))
      .toSorted((a, b) => a.rank - b.rank);
    for (const { fault } of inOrder) {
      const plan = fault.plan(scene);
      if (plan === null) continue;
      if (plan.victims.every((victim) => !this.#held.has(victim))) return { fault, plan };
      // Whoever needs everything would never get it if others were always let in before.
      if (plan.victims.length > 1) return null;
    }
    return null;
  }
}
