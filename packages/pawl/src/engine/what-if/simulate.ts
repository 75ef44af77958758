import type { Instant } from '../../core/clock.ts';
import { SeededRandom } from '../../core/random.ts';
import { Heap } from './heap.ts';
import type { PlannedJob } from './plan.ts';
import { SimGates } from './sim-gates.ts';
import { SimJob } from './sim-job.ts';
import { SimLanes } from './sim-lanes.ts';
import type { ConcurrencyRule, RecordedWorker } from './stretch.ts';
import type { Span } from './timeline.ts';

export interface SimulationOptions extends Span {
  readonly jobs: readonly PlannedJob[];
  readonly workers: readonly Omit<RecordedWorker, 'isAnnounced'>[];
  readonly rules: readonly ConcurrencyRule[];
}

interface Happening {
  readonly at: Instant;
  readonly order: number;
  readonly run: () => void;
}

interface SimWorker {
  readonly id: string;
  readonly types: ReadonlySet<string>;
  /** Workers of one group take the same types. */
  readonly group: string;
  free: number;
  isThere: boolean;
  /** Claimed, and waiting for a slot, in the order of the claims. */
  readonly line: SimJob[];
  /** How many it claims ahead of a free slot, one time and another. */
  readonly aheads: readonly number[];
  ahead: number;
}

/**
 * Plays jobs in virtual time, from one happening to the next. Claims go by the functions that the
 * stores go by, at the moment when a slot is free, for it and for as many ahead as the worker has
 * really claimed. Nothing costs time but the attempts. What has not begun by the end of the stretch
 * has not begun.
 */
export function simulate(options: SimulationOptions): SimJob[] {
  const simulation = new Simulation(options);
  while (simulation.run(Infinity));
  return [...simulation.jobs];
}

/** The same in pieces, so that a process can do other things in between. */
export async function simulateInTurns(
  options: SimulationOptions,
  turn: () => Promise<void>,
): Promise<SimJob[]> {
  const simulation = new Simulation(options);
  while (simulation.run(MOMENTS_A_TURN)) await turn();
  return [...simulation.jobs];
}

const MOMENTS_A_TURN = 500;
const SEED = 2_900;

class Simulation {
  readonly #to: Instant;
  readonly jobs: readonly SimJob[];
  readonly #workers: readonly SimWorker[];
  readonly #lanes: SimLanes;
  readonly #gates: SimGates;
  readonly #happenings: Heap<Happening> = new Heap(
    (one, other) => one.at - other.at || one.order - other.order,
  );
  #now: Instant;
  readonly #random = new SeededRandom(SEED);
  #order = 0;
  #first = 0;

  constructor({ jobs, workers, rules, from, to }: SimulationOptions) {
    this.#now = from;
    this.#to = to;
    this.#lanes = new SimLanes(rules);
    this.#gates = new SimGates({
      onOpen: (job) => this.#lanes.add(job),
      onToken: (key, at) => this.#at(at, () => this.#gates.admit([key], this.#now)),
    });
    this.#workers = workers.map((worker) => this.#worker(worker));
    this.jobs = jobs.map((plan, birth) => new SimJob(plan, birth));
    for (const job of this.jobs) this.#arrive(job);
  }

  /** Plays so many moments; false: there are no more. */
  run(moments: number): boolean {
    for (let count = 0; count < moments; count++) {
      const next = this.#happenings.first;
      if (next === undefined || next.at >= this.#to) return false;
      this.#now = next.at;
      while (this.#happenings.first?.at === this.#now) this.#happenings.pop()!.run();
      this.#claim();
    }
    return true;
  }

  #at(at: Instant, run: () => void): void {
    this.#happenings.push({ at: Math.max(at, this.#now), order: this.#order++, run });
  }

  #worker(given: SimulationOptions['workers'][number]): SimWorker {
    const { id, types, slots, aheads, from, to } = given;
    const group = types.toSorted().join('\n');
    const own = { id, types: new Set(types), group, aheads, line: [] };
    const worker: SimWorker = { ...own, free: slots, ahead: 0, isThere: false };
    this.#at(from, () => (worker.isThere = true));
    this.#at(to, () => (worker.isThere = false));
    return worker;
  }

  #arrive(job: SimJob): void {
    const { plan } = job;
    if (plan.isBegun) return this.#at(this.#now, () => this.#goOn(job));
    this.#due(job, plan.dueAt);
    const { leavesAt } = plan;
    if (leavesAt !== null) this.#at(leavesAt, () => this.#leave(job, leavesAt));
  }

  /** What had begun before the stretch is in its worker's slot, or in another's. */
  #goOn(job: SimJob): void {
    const there = this.#workers.filter(({ types }) => types.has(job.type));
    const worker =
      there.find(({ id }) => id === job.plan.worker) ?? there[job.birth % there.length];
    job.due(job.plan.dueAt);
    this.#gates.claimed(job, this.#now);
    this.#lanes.count(job, 1);
    this.#begin(job, worker ?? null);
  }

  #due(job: SimJob, dueAt: Instant): void {
    this.#at(dueAt, () => {
      if (job.endedAt !== null) return;
      job.due(dueAt);
      this.#gates.enter(job, this.#now);
    });
  }

  #leave(job: SimJob, at: Instant): void {
    if (job.state === 'owned' || job.endedAt !== null) return;
    const attempt = job.attempts.at(-1);
    if (job.state !== 'away') attempt!.endedAt = at;
    job.endedAt = at;
    this.#gates.left(job, at);
  }

  /** Workers take turns at being the first, as they do where each polls for itself. */
  #claim(): void {
    const count = this.#workers.length;
    const served = new Set<string>();
    let next = 0;
    for (let index = 0; index < count && !this.#lanes.isEmpty; index++) {
      const worker = this.#workers[(this.#first + index) % count]!;
      const wanted = worker.free + worker.ahead - worker.line.length;
      if (!worker.isThere || wanted <= 0 || served.has(worker.group)) continue;
      const taken = this.#lanes.claim(worker.types, wanted, (job) => {
        this.#gates.claimed(job, this.#now);
        this.#lanes.count(job, 1);
        worker.line.push(job);
      });
      this.#beginNext(worker);
      // There is no more for any of them.
      if (taken < wanted) served.add(worker.group);
      if (taken > 0) next = index + 1;
    }
    if (count > 0) this.#first = (this.#first + next) % count;
  }

  /** Who claims ahead does so for as many as it did, one time and another. */
  #free(worker: SimWorker): void {
    worker.free += 1;
    const { aheads } = worker;
    worker.ahead = aheads.length === 0 ? 0 : this.#random.pick(aheads);
    this.#beginNext(worker);
  }

  #beginNext(worker: SimWorker): void {
    while (worker.free > 0 && worker.line.length > 0) this.#begin(worker.line.shift()!, worker);
  }

  #begin(job: SimJob, worker: SimWorker | null): void {
    const attempt = job.attempts.at(-1)!;
    attempt.startedAt = this.#now;
    const { durationMs, thenMs } = job.plan.attempts[job.attempts.length - 1]!;
    if (worker !== null) worker.free -= 1;
    this.#at(this.#now + durationMs, () => {
      attempt.endedAt = this.#now;
      this.#lanes.count(job, -1);
      if (worker !== null) this.#free(worker);
      this.#gates.left(job, this.#now);
      if (thenMs === null) job.endedAt = this.#now;
      else this.#due(job, this.#now + thenMs);
    });
  }
}
