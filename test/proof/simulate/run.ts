import { systemTimers } from 'pawl/internal/core/timers';
import { tellWhere } from '../../simulation/come-apart.ts';
import { regressionSeeds } from '../../simulation/regression-seeds.ts';
import { explainRun } from '../../simulation/shrink-run.ts';
import {
  simulate,
  type SimulationOptions,
  type SimulationReport,
} from '../../simulation/simulate.ts';
import { inMemory, type OpenStore } from '../../support/world.ts';
import { sqliteInline } from '../../support/world-stores.ts';
import { Checkpoint } from '../checkpoint.ts';
import { grouped, type Rung, type RungOptions, type RungReport, type Say } from '../figures.ts';
import { CASTS, runCast } from './casts.ts';
import { type SavedTotals, Totals } from './totals.ts';

const VIOLATIONS_MAX = 5;
const TOLD_EVERY = 500;
const never = new AbortController().signal;

const STORES: Readonly<Record<'sqlite' | 'memory', OpenStore>> = {
  sqlite: sqliteInline.open,
  memory: inMemory,
};

/**
 * `--seeds 1000 --from 100000 --minutes 10 --cast plain --store memory --resume file`: so many
 * seeds, with a swarm of casts and on SQLite unless told otherwise. Every seed whose number
 * `--twice 10` divides is run again and must repeat itself; every one that `--across 1` divides is
 * run on the other store too, memory or SQLite, and must leave the same trace there. 0 is never.
 * Seeds that once failed come first, but for `--old no`. `--cast flows` and `--cast cells` are
 * other worlds (casts.ts).
 */
export const runSimulate: Rung = (options, say) => {
  const cast = options.text('cast') ?? '';
  return cast in CASTS ? runCast(cast, options, say) : new Campaign(options, say).run();
};

interface State {
  readonly next: number;
  readonly totals: SavedTotals;
  readonly violations: readonly string[];
}

class Campaign {
  readonly #say: Say;
  readonly #from: number;
  readonly #until: number;
  readonly #cast: 'plain' | 'swarm';
  readonly #store: 'sqlite' | 'memory';
  readonly #twice: number;
  readonly #across: number;
  readonly #hasOld: boolean;
  readonly #isTimeLeft: () => boolean;
  readonly #checkpoint: Checkpoint<State>;
  #totals = new Totals();
  #violations: string[] = [];
  /** MiB of this process, each time that it told how far it is. */
  readonly #memory: number[] = [];

  constructor(options: RungOptions, say: Say) {
    this.#say = say;
    this.#from = options.number('from', 100_000);
    this.#until = this.#from + options.number('seeds', 1_000);
    this.#cast = options.text('cast') === 'plain' ? 'plain' : 'swarm';
    this.#store = options.text('store') === 'memory' ? 'memory' : 'sqlite';
    this.#twice = options.number('twice', 10);
    this.#across = options.number('across', 1);
    this.#hasOld = options.text('old') !== 'no';
    this.#isTimeLeft = options.isTimeLeft();
    this.#checkpoint = new Checkpoint(options.text('resume'), {
      from: this.#from,
      cast: this.#cast,
      store: this.#store,
      twice: this.#twice,
      across: this.#across,
    });
  }

  async run(): Promise<RungReport> {
    let next = await this.#begin();
    for (; next < this.#until; next++) {
      if (!this.#isTimeLeft() || this.#violations.length >= VIOLATIONS_MAX) break;
      await this.#play({ seed: next, open: STORES[this.#store], cast: this.#cast });
      const { counts } = this.#totals;
      if (counts.seeds % TOLD_EVERY !== 0) continue;
      this.#save(next + 1);
      this.#tell();
      // Runs are one long turn of promises; what weak references hold is let go between turns only.
      await systemTimers.sleep(0, never);
    }
    this.#save(next);
    const { counts, faultCount: faults } = this.#totals;
    const { seeds, steps, jobs, zombies, repeatedSteps, crossedSteps } = counts;
    return {
      figures: this.#figures(),
      violations: this.#violations,
      counts: { seeds, steps, jobs, faults, zombies, repeatedSteps, crossedSteps },
    };
  }

  /** The seed to go on with. */
  async #begin(): Promise<number> {
    const saved = this.#checkpoint.read();
    if (saved !== null) {
      this.#totals = Totals.restore(saved.totals);
      this.#violations = [...saved.violations];
      this.#say(`going on with seed ${saved.next}`);
      return saved.next;
    }
    for (const seed of this.#old) await this.#play({ seed, open: STORES.sqlite }, true);
    return this.#from;
  }

  get #old(): readonly number[] {
    return this.#hasOld ? regressionSeeds : [];
  }

  #tell(): void {
    const { seeds, steps } = this.#totals.counts;
    const memory = memoryNow();
    this.#memory.push(memory);
    const done = `${grouped(seeds)} seeds, ${grouped(steps)} steps`;
    this.#say(`${done}, ${this.#violations.length} violations, ${memory} MiB`);
  }

  #save(next: number): void {
    const totals = this.#totals.save();
    this.#checkpoint.write({ next, totals, violations: this.#violations });
  }

  async #play(run: SimulationOptions, isOld = false): Promise<void> {
    const { coverage, counts } = this.#totals;
    const report = await simulate({ ...run, coverage });
    this.#totals.add(report);
    if (report.problems.length > 0) this.#violations.push(await explainRun(run, report));
    if (isOld || divides(this.#twice, run.seed)) {
      counts.repeated += 1;
      counts.repeatedSteps += await this.#again(run, report, run.open);
    }
    if (isOld || divides(this.#across, run.seed)) {
      const open = run.open === STORES.sqlite ? STORES.memory : STORES.sqlite;
      counts.crossed += 1;
      counts.crossedSteps += await this.#again(run, report, open);
    }
  }

  async #again(run: SimulationOptions, first: SimulationReport, open: OpenStore): Promise<number> {
    const again = await simulate({ ...run, open });
    if (again.traceHash === first.traceHash) return again.steps;
    const store = open === STORES.sqlite ? 'SQLite' : 'memory';
    const told = again.problems.slice(0, 3).join('\n');
    const where = await tellWhere(run, run.open, open);
    this.#violations.push(`seed ${run.seed} left another trace on ${store} ${told}\n${where}`);
    return again.steps;
  }

  #figures(): RungReport['figures'] {
    const { counts, coverage, faultCount, faultTable, pairs } = this.#totals;
    const { seeds, steps, jobs, zombies, operations, ok } = counts;
    const [rarest] = [...pairs].toSorted(([, one], [, other]) => one - other);
    const old = `after ${this.#old.length} that once failed`;
    const other = this.#store === 'sqlite' ? 'memory' : 'SQLite';
    const memory = [...this.#memory, memoryNow()];
    return {
      seeds: `${grouped(seeds)}, from ${this.#from} on, ${old}`,
      steps,
      'run twice': tellRuns(counts.repeated, counts.repeatedSteps),
      [`on ${other} too`]: tellRuns(counts.crossed, counts.crossedSteps),
      jobs,
      'late writes refused': `of ${grouped(zombies)} turns`,
      operations: `${grouped(operations)}, of which ${grouped(ok)} were acknowledged`,
      faults: `${grouped(faultCount)}: ${faultTable}`,
      rows: coverage.summary,
      'rows never taken': coverage.missing.join('; ') || 'none',
      '(place, event)': `${pairs.size} pairs, the rarest in ${rarest?.[1] ?? 0} seeds`,
      'memory, MiB': `${memory[0]} at first, ${Math.max(...memory)} at most`,
    };
  }
}

function memoryNow(): number {
  return Math.round(process.memoryUsage.rss() / 2 ** 20);
}

function tellRuns(seeds: number, steps: number): string {
  return `${grouped(seeds)} seeds, ${grouped(steps)} steps`;
}

function divides(every: number, seed: number): boolean {
  return every > 0 && seed % every === 0;
}
