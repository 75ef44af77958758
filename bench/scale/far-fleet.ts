// The real engine and real workers in regions far away, on a clock that jumps.
import { defineJob, typed } from 'pawl';
import { seededIds } from 'pawl/internal/core/ids';
import { SeededRandom } from 'pawl/internal/core/random';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { claimWaitMs as claimWaitMsOf } from 'pawl/internal/cli/claim-wait';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { openMemoryStore } from 'pawl/internal/store/memory/store';
import { openWorker } from 'pawl/internal/worker/open-worker';
import type { Worker } from 'pawl/internal/worker/worker';
import { percentile } from '../harness/statistics.ts';
import { type Calls, FarSource, type Line } from './far-source.ts';
import { VirtualTime } from './virtual-time.ts';

export interface FarFleet {
  /** Round trips of the regions; each has as many workers. */
  readonly roundTripsMs: readonly number[];
  readonly workersEach: number;
  readonly slots: number;
  readonly jobMs: number;
  /** Of all slots, on average. */
  readonly busy: number;
  readonly seconds: number;
  readonly line: Omit<Line, 'roundTripMs'>;
  readonly heartbeatMs: number;
}

export interface FarRegion {
  readonly roundTripMs: number;
  readonly jobs: number;
  /** From ready to the handler's first moment. */
  readonly waitP50Ms: number;
  readonly waitP99Ms: number;
}

export interface FarResult {
  readonly regions: readonly FarRegion[];
  readonly done: number;
  readonly leasesLost: number;
  readonly claims: number;
  readonly emptyClaims: number;
  readonly renewals: number;
}

const TENANT = 'default';
const SWEEP_MS = 1_000;

interface Start {
  readonly region: number;
  readonly waitMs: number;
}

class Simulation {
  readonly #fleet: FarFleet;
  readonly #random: SeededRandom;
  readonly #time = new VirtualTime();
  readonly #calls: Calls = { claims: 0, emptyClaims: 0, renewals: 0, others: 0 };
  readonly #starts: Start[] = [];
  /** Leases that ran out: a sweep has given their jobs back. */
  #lost = 0;

  constructor(fleet: FarFleet, seed: number) {
    this.#fleet = fleet;
    this.#random = new SeededRandom(seed);
  }

  async run(): Promise<FarResult> {
    const time = this.#time;
    const store = openMemoryStore({ lifecycles: builtInLifecycles, clock: time.clock });
    const engine = new Engine(
      openContext({
        store,
        lifecycles: builtInLifecycles,
        random: this.#random,
        ids: seededIds(time.clock, new SeededRandom(this.#random.below(2 ** 31))),
        clock: time.clock,
        live: { timers: time, everyMs: 50 },
      }),
    );
    await engine.putType({ tenant: TENANT, type: 'work' }, typeDefinitionOf(this.#work(0)));
    const workers = this.#openWorkers(engine);
    for (const worker of workers) worker.start();
    const end = time.now() + this.#fleet.seconds * 1_000;
    void this.#arrivals(engine, end);
    void this.#sweeps(engine, end);
    await time.runUntil(end);
    await Promise.all([...workers.map((worker) => worker.crash()), engine.live.stop()]);
    await store.close();
    return this.#result();
  }

  /** The handler of one region: it waits, and says how late it began. */
  #work(region: number) {
    const { heartbeatMs } = this.#fleet;
    return defineJob('work', {
      lease: { ttl: 4 * heartbeatMs, heartbeat: heartbeatMs },
      input: typed<{ ms: number; at: number }>(),
      run: ({ input, signal }) => {
        this.#starts.push({ region, waitMs: this.#time.now() - input.at });
        return this.#time.sleep(input.ms, signal);
      },
    });
  }

  #openWorkers(engine: Engine): Worker[] {
    const { roundTripsMs, workersEach, slots, line } = this.#fleet;
    const time = this.#time;
    const claimWaitMs = claimWaitMsOf([this.#work(0)]);
    return roundTripsMs.flatMap((roundTripMs, region) =>
      Array.from({ length: workersEach }, (_, index) => {
        const way = { engine, time, random: this.#random, tenant: TENANT, calls: this.#calls };
        const source = new FarSource({ ...way, claimWaitMs, line: { ...line, roundTripMs } });
        const id = `worker-${region}-${index}`;
        const jobs = [this.#work(region)];
        return openWorker({ id, source, jobs, slots, clock: time.clock, timers: time });
      }),
    );
  }

  async #arrivals(engine: Engine, end: number): Promise<void> {
    const { roundTripsMs, workersEach, slots, jobMs, busy } = this.#fleet;
    const meanMs = jobMs / (roundTripsMs.length * workersEach * slots * busy);
    const exponential = (mean: number): number => -Math.log(1 - this.#random.next()) * mean;
    const caller = { tenant: TENANT, principal: null };
    let due = this.#time.now();
    for (;;) {
      due += exponential(meanMs);
      await this.#time.sleep(Math.round(due - this.#time.now()));
      if (this.#time.now() >= end) return;
      const ms = Math.round(jobMs * (0.5 + this.#random.next()));
      const input = { ms, at: this.#time.now() };
      await engine.enqueue([{ type: 'work', input }], { caller });
    }
  }

  async #sweeps(engine: Engine, end: number): Promise<void> {
    while (this.#time.now() < end) {
      await this.#time.sleep(SWEEP_MS);
      this.#lost += await engine.sweepExpired();
    }
  }

  #result(): FarResult {
    const { roundTripsMs } = this.#fleet;
    const regions = roundTripsMs.map((roundTripMs, region) => {
      const waits = this.#starts.filter((one) => one.region === region).map((one) => one.waitMs);
      const at = (percent: number): number => (waits.length === 0 ? 0 : percentile(waits, percent));
      return { roundTripMs, jobs: waits.length, waitP50Ms: at(50), waitP99Ms: at(99) };
    });
    const { claims, emptyClaims, renewals } = this.#calls;
    const done = this.#starts.length;
    return { regions, done, leasesLost: this.#lost, claims, emptyClaims, renewals };
  }
}

/** What happens to leases, claims and heartbeats of workers that far away. */
export function simulateFarFleet(fleet: FarFleet, seed: number): Promise<FarResult> {
  return new Simulation(fleet, seed).run();
}
