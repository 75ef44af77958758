// One seed of flows: chaos, healing, judgement. Everybody must come to an end.
import { checkHistory } from 'pawl/internal/check/check-history';
import { ManualClock } from 'pawl/internal/core/clock';
import { seededIds } from 'pawl/internal/core/ids';
import { isTerminal } from 'pawl/internal/core/phase';
import { SeededRandom } from 'pawl/internal/core/random';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { FlowFollower } from 'pawl/internal/engine/flows/flow-follower';
import { Sweeper } from 'pawl/internal/engine/sweeps/sweeper';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { StoreError } from 'pawl/internal/store/store-error';
import type { OpenStore } from '../../support/world.ts';
import { type Actor, never, spawn, type Stage } from '../actor.ts';
import { Faults } from '../faults.ts';
import { readAll } from '../read-all.ts';
import { Scheduler } from '../scheduler.ts';
import { TailFingerprint } from '../tail-fingerprint.ts';
import { FLOW_TENANT, FlowClient } from './flow-client.ts';
import { FlowWorker, Seen } from './flow-worker.ts';
import { judgeTrees } from './judge-trees.ts';
import { FLOW_TYPES } from './program.ts';

export interface FlowReport {
  readonly problems: readonly string[];
  readonly traceHash: string;
  readonly steps: number;
  readonly jobs: number;
  readonly waits: number;
  /** Turns whose former owner was refused. */
  readonly zombies: number;
  readonly faults: number;
  readonly traceTail: readonly string[];
}

const CHAOS_STEPS_MAX = 12_000;
const HEAL_STEPS_MAX = 60_000;
const HEAL_MS_MAX = 400_000;

export async function simulateFlows(options: {
  readonly seed: number;
  readonly open: OpenStore;
}): Promise<FlowReport> {
  const clock = new ManualClock();
  const store = await options.open({ lifecycles: builtInLifecycles, clock });
  try {
    const incarnation = await store.incarnation();
    const stream = (number: number): SeededRandom =>
      new SeededRandom(options.seed * 1_000 + number);
    const stage: Stage = {
      scheduler: new Scheduler(clock, stream(1)),
      faults: new Faults({ random: stream(2), jumps: null, isLeftOut: () => false }),
      store,
      incarnation,
      tails: new TailFingerprint(incarnation),
      ids: seededIds(clock, stream(3)),
      random: stream(4),
    };
    return await new FlowSimulation(stage, options.seed).run();
  } finally {
    await store.close();
  }
}

class FlowSimulation {
  readonly #stage: Stage;
  readonly #seed: number;
  readonly #seen = new Seen();
  readonly #client: FlowClient;
  #isHealed = false;

  constructor(stage: Stage, seed: number) {
    this.#stage = stage;
    this.#seed = seed;
    this.#client = new FlowClient(seed * 1_000 + 5, 8 + (seed % 8), () => this.#isHealed);
  }

  async run(): Promise<FlowReport> {
    const { scheduler, store } = this.#stage;
    const problems: string[] = [];
    let jobs = 0;
    try {
      await this.#populate();
      await scheduler.run(() => this.#client.isDone, CHAOS_STEPS_MAX);
      problems.push(...(await this.#heal()));
      const all = await readAll(store, [FLOW_TENANT]);
      jobs = all.jobs.length;
      const laws = checkHistory({ lifecycles: builtInLifecycles, ...all });
      problems.push(...laws.map((one) => `${one.invariant} ${one.jobId}: ${one.message}`));
      problems.push(...this.#seen.problems, ...(await judgeTrees(store, all)));
    } catch (error) {
      problems.push(`thrown: ${error instanceof Error ? error.stack : String(error)}`);
    }
    const { traceHash, traceTail, steps } = scheduler;
    const { wakes: waits, zombies } = this.#seen;
    const faults = this.#stage.faults.drawn;
    return { problems, traceHash, traceTail, steps, jobs, waits, zombies: zombies.count, faults };
  }

  async #populate(): Promise<void> {
    const { store, random, ids, scheduler } = this.#stage;
    const { clock } = scheduler;
    const lifecycles = builtInLifecycles;
    const engine = new Engine(openContext({ store, lifecycles, random, ids, clock }));
    for (const [type, definition] of Object.entries(FLOW_TYPES)) {
      await engine.putType({ tenant: '*', type }, definition);
    }
    spawn(this.#stage, 'c1', (actor) => this.#client.run(actor));
    for (const number of [1, 2, 3]) {
      const seed = this.#seed * 1_000 + 100 + number;
      const worker = new FlowWorker(this.#seen, seed, () => this.#isHealed);
      spawn(this.#stage, `w${number}`, (actor) => worker.run(actor));
    }
    for (const name of ['s1', 's2']) spawn(this.#stage, name, sweep);
    for (const name of ['f1', 'f2']) spawn(this.#stage, name, follow);
  }

  async #heal(): Promise<readonly string[]> {
    const { scheduler, faults } = this.#stage;
    faults.isOn = false;
    this.#isHealed = true;
    const until = scheduler.clock.now() + HEAL_MS_MAX;
    let looks = 0;
    const isOver = async (): Promise<boolean> => {
      if (scheduler.clock.now() > until) return true;
      return looks++ % 50 === 0 && (await this.#open()).length === 0;
    };
    await scheduler.run(isOver, HEAL_STEPS_MAX);
    return (await this.#open()).map((job) => `I20 ${job}: still open after healing`);
  }

  async #open(): Promise<string[]> {
    const tally = await this.#stage.store.tally(null);
    return tally
      .filter(({ phase }) => !isTerminal(phase))
      .map(({ type, state, phase, count }) => `${count} of ${type} in ${state}/${phase}`);
  }
}

async function follow(actor: Actor): Promise<void> {
  new FlowFollower(actor.context, { timers: actor.timers }).start();
  await never();
}

async function sweep(actor: Actor): Promise<void> {
  const sweeper = new Sweeper(actor.context, { timers: actor.timers, everyMs: 1_000 });
  for (;;) {
    try {
      const { failed } = await sweeper.runOnce();
      for (const { error } of failed) tolerate(error);
    } catch (error) {
      tolerate(error);
    }
    await actor.sleep(1_000);
  }
}

function tolerate(error: unknown): void {
  if (!(error instanceof StoreError) || error.outcome === 'refused') throw error;
}
