// One seed: chaos first, then healing, then the judgement over everything that was left behind.
import { checkHistory } from 'pawl/internal/check/check-history';
import type { Violation } from 'pawl/internal/check/violation';
import { ManualClock } from 'pawl/internal/core/clock';
import { seededIds } from 'pawl/internal/core/ids';
import { isTerminal } from 'pawl/internal/core/phase';
import { SeededRandom } from 'pawl/internal/core/random';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { Sweeper } from 'pawl/internal/engine/sweeps/sweeper';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { StoreError } from 'pawl/internal/store/store-error';
import type { Store } from 'pawl/internal/store/store';
import type { OpenStore } from '../support/world.ts';
import type { RowCoverage } from '../support/world-rows.ts';
import { type Actor, spawn, type Stage } from './actor.ts';
import { Chronicle } from './chronicle.ts';
import { Client, type Errand, ERRAND_BAGS, pickErrands, TENANTS } from './client.ts';
import { type Fault, Faults } from './faults.ts';
import { readAll } from './read-all.ts';
import { Scheduler } from './scheduler.ts';
import { LIMITED_TYPES, TYPES } from './job-types.ts';
import { judgeLimits } from './judge-limits.ts';
import { type Cast, judgeCast, pickCast } from './cast.ts';
import { LoopWorker } from './loop-worker.ts';
import { putSchedule } from './slots.ts';
import { TailFingerprint } from './tail-fingerprint.ts';
import { Worker } from './worker.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly open: OpenStore;
  readonly coverage?: RowCoverage;
  /** `plain`: clients, workers, sweepers; `swarm`: of everything there is, what the seed says. */
  readonly cast?: 'plain' | 'swarm';
  /** What a shrunk run still has, by number; everything unless given. */
  readonly only?: Remains;
  /** Takes every line of the trace, for who wants to know where two runs came apart. */
  readonly trace?: string[];
  /** No more harm from now on: for who does some beside the faults of a run. */
  readonly onHealed?: () => void;
}

export interface Remains {
  readonly errands: ReadonlySet<number>;
  readonly faults: ReadonlySet<number>;
}

export interface SimulationReport {
  readonly problems: readonly string[];
  readonly traceHash: string;
  readonly traceTail: readonly string[];
  readonly steps: number;
  readonly errands: number;
  readonly jobs: number;
  /** Turns whose former owner was refused. */
  readonly zombies: number;
  /** Which events were seen to lead where. */
  readonly pairs: ReadonlySet<string>;
  readonly faults: ReadonlyMap<Fault, number>;
  readonly faultsDrawn: number;
  readonly outcomes: { readonly ok: number; readonly fail: number; readonly unknown: number };
}

const CLIENTS = 3;
const WORKERS = 2;
const SWEEPERS = 2;
const CHAOS_STEPS_MAX = 12_000;
const HEAL_STEPS_MAX = 60_000;
/** Three of the longest lease windows, the longest pause and backoffs, and the work itself. */
const HEAL_MS_MAX = 300_000;

export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const clock = new ManualClock();
  const opened = await options.open({ lifecycles: builtInLifecycles, clock });
  try {
    const store = options.coverage?.watch(opened) ?? opened;
    const incarnation = await opened.incarnation();
    return await new Simulation(options, clock, { store, incarnation }).run();
  } finally {
    await opened.close();
  }
}

class Simulation {
  readonly #stage: Stage;
  readonly #cast: Cast;
  readonly #clients: readonly Client[];
  readonly #chronicle = new Chronicle();
  readonly #seed: number;
  readonly #pairs = new Set<string>();
  readonly #onHealed: () => void;
  #isHealed = false;

  constructor(
    options: SimulationOptions,
    clock: ManualClock,
    { store, incarnation }: Pick<Stage, 'store' | 'incarnation'>,
  ) {
    const { seed, only, cast = 'plain', trace, onHealed = () => undefined } = options;
    const stream = (number: number): SeededRandom => new SeededRandom(seed * 1_000 + number);
    this.#seed = seed;
    this.#onHealed = onHealed;
    this.#cast = pickCast(cast === 'swarm' ? stream(6) : null);
    this.#stage = {
      scheduler: new Scheduler(clock, stream(1), trace),
      faults: new Faults({
        random: stream(2),
        jumps: this.#cast.hasClockJumps ? stream(7) : null,
        isLeftOut: (number) => !(only?.faults.has(number) ?? true),
      }),
      store,
      incarnation,
      tails: new TailFingerprint(incarnation),
      ids: seededIds(clock, stream(3)),
      random: stream(4),
    };
    const { pace } = this.#cast;
    const errands = pickErrands(stream(5), ERRAND_BAGS[cast], pace.errands);
    this.#clients = Array.from({ length: CLIENTS }, (_, client) => {
      const isMine = (_errand: Errand, index: number): boolean =>
        index % CLIENTS === client && (only?.errands.has(index) ?? true);
      return new Client(this.#chronicle, errands.filter(isMine), pace.gapMs);
    });
  }

  async run(): Promise<SimulationReport> {
    const { scheduler, faults } = this.#stage;
    const problems: string[] = [];
    try {
      await this.#prepare();
      this.#populate();
      const isQuiet = (): boolean => this.#clients.every((client) => client.isDone);
      await scheduler.run(isQuiet, CHAOS_STEPS_MAX);
      problems.push(...(await this.#heal()));
      problems.push(...this.#chronicle.problems, ...(await this.#judge()));
    } catch (error) {
      // A store that refuses what the engine asks for is a finding, as is any other exception.
      problems.push(`${error instanceof StoreError ? 'the store said' : 'thrown'}: ${text(error)}`);
    }
    const outcomes = {
      ok: this.#chronicle.count('ok'),
      fail: this.#chronicle.count('fail'),
      unknown: this.#chronicle.count('unknown'),
    };
    return {
      problems,
      outcomes,
      traceHash: scheduler.traceHash,
      traceTail: scheduler.traceTail,
      steps: scheduler.steps,
      errands: this.#cast.pace.errands,
      jobs: new Set(this.#chronicle.history.map(({ jobId }) => jobId)).size,
      zombies: this.#chronicle.zombies.count,
      pairs: this.#pairs,
      faults: faults.counts,
      faultsDrawn: faults.drawn,
    };
  }

  async #prepare(): Promise<void> {
    const { store, random, ids } = this.#stage;
    const { clock } = this.#stage.scheduler;
    const engine = new Engine(
      openContext({ store, lifecycles: builtInLifecycles, random, ids, clock }),
    );
    const types = this.#cast.hasLimits ? LIMITED_TYPES : TYPES;
    for (const [type, definition] of Object.entries(types)) {
      await engine.putType({ tenant: '*', type }, definition);
    }
    if (this.#cast.hasSchedule) await putSchedule(engine);
  }

  #populate(): void {
    this.#clients.forEach((client, index) =>
      spawn(this.#stage, `c${index + 1}`, (actor) => client.run(actor)),
    );
    for (let number = 1; number <= WORKERS; number++) {
      const seed = this.#seed * 1_000 + 100 + number;
      const Kind = this.#cast.loopWorkers.has(number) ? LoopWorker : Worker;
      const worker = new Kind(this.#chronicle, seed, () => this.#isHealed);
      spawn(this.#stage, `w${number}`, (actor) => worker.run(actor));
    }
    for (let number = 1; number <= SWEEPERS; number++) {
      spawn(this.#stage, `s${number}`, (actor) => sweep(actor, this.#cast.pace.sweepEveryMs));
    }
    const { readers, bookkeeper } = this.#cast;
    readers.forEach((reader, index) =>
      spawn(this.#stage, `r${index + 1}`, (actor) => reader.run(actor)),
    );
    for (const name of bookkeeper === null ? [] : ['f1', 'f2']) {
      spawn(this.#stage, name, (actor) => bookkeeper!.run(actor));
    }
  }

  /** No more faults: within bounded time every job must come to its end, or wait by right. */
  async #heal(): Promise<readonly string[]> {
    const { scheduler, faults, store } = this.#stage;
    faults.isOn = false;
    this.#isHealed = true;
    this.#onHealed();
    scheduler.note('healed');
    const until = scheduler.clock.now() + HEAL_MS_MAX;
    let looks = 0;
    const isOver = async (): Promise<boolean> => {
      if (scheduler.clock.now() > until) return true;
      if (looks++ % 50 !== 0 || !this.#clients.every((client) => client.isDone)) return false;
      return (await openJobs(store)).length === 0;
    };
    await scheduler.run(isOver, HEAL_STEPS_MAX);
    const open = await openJobs(store);
    return open.map((job) => `I20 ${job}: still open ${HEAL_MS_MAX} ms after healing`);
  }

  async #judge(): Promise<readonly string[]> {
    const { store } = this.#stage;
    const all = await readAll(store, TENANTS);
    const { history, ledger } = this.#chronicle;
    const input = { lifecycles: builtInLifecycles, ...all, history, ledger };
    for (const { to, phase, type } of all.events) this.#pairs.add(`${to}/${phase} ${type}`);
    const told = checkHistory(input).map(describe);
    const foreign = all.jobs.filter(({ tenant }) => !TENANTS.includes(tenant));
    for (const { tenant, id } of foreign) told.push(`I19 a list of others showed ${tenant}/${id}`);
    told.push(...judgeLimits(all));
    return [...told, ...(await judgeCast(this.#cast, this.#stage, all.events))];
  }
}

async function sweep(actor: Actor, everyMs: number): Promise<void> {
  const timers = { sleep: (ms: number): Promise<void> => actor.sleep(ms) };
  const sweeper = new Sweeper(actor.context, { timers, everyMs });
  for (;;) {
    try {
      const { failed } = await sweeper.runOnce();
      for (const { error } of failed) tolerate(error);
    } catch (error) {
      tolerate(error);
    }
    await actor.sleep(everyMs);
  }
}

/** A store that cannot be reached is part of life here; everything else is a fault of ours. */
function tolerate(error: unknown): void {
  if (!(error instanceof StoreError) || error.outcome === 'refused') throw error;
}

/** Held jobs wait for their client, for as long as it likes. */
async function openJobs(store: Store): Promise<readonly string[]> {
  const tally = await store.tally(null);
  return tally
    .filter(({ phase }) => phase !== 'held' && !isTerminal(phase))
    .map(({ type, state, phase, count }) => `${count} of ${type} in ${state}/${phase}`);
}

function describe({ invariant, jobId, version, message }: Violation): string {
  const where = version === null ? `${jobId}` : `${jobId} version ${version}`;
  return `${invariant} ${where}: ${message}`;
}

function text(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
