import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import type { SimulationReport } from '../../simulation/simulate.ts';
import { RowCoverage } from '../../support/world-rows.ts';

interface Counts {
  seeds: number;
  steps: number;
  jobs: number;
  zombies: number;
  ok: number;
  operations: number;
  /** Runs of a seed after its first, and their steps. */
  repeated: number;
  repeatedSteps: number;
  crossed: number;
  crossedSteps: number;
}

/** As it is kept in a file. */
export interface SavedTotals {
  readonly counts: Counts;
  readonly rows: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  readonly pairs: Readonly<Record<string, number>>;
}

/** What many seeds have come to. */
export class Totals {
  readonly coverage: RowCoverage = new RowCoverage(builtInLifecycles);
  readonly faults: Map<string, number> = new Map();
  /** In how many seeds an event was seen to lead to a place. */
  readonly pairs: Map<string, number> = new Map();
  readonly counts: Counts = {
    seeds: 0,
    steps: 0,
    jobs: 0,
    zombies: 0,
    ok: 0,
    operations: 0,
    repeated: 0,
    repeatedSteps: 0,
    crossed: 0,
    crossedSteps: 0,
  };

  static restore({ counts, rows, faults, pairs }: SavedTotals): Totals {
    const totals = new Totals();
    Object.assign(totals.counts, counts);
    totals.coverage.add(rows);
    addTo(totals.faults, Object.entries(faults));
    addTo(totals.pairs, Object.entries(pairs));
    return totals;
  }

  save(): SavedTotals {
    return {
      counts: this.counts,
      rows: this.coverage.taken,
      faults: Object.fromEntries(this.faults),
      pairs: Object.fromEntries(this.pairs),
    };
  }

  add({ steps, faults, outcomes, jobs, zombies, pairs }: SimulationReport): void {
    const { counts } = this;
    counts.seeds += 1;
    counts.steps += steps;
    counts.jobs += jobs;
    counts.zombies += zombies;
    counts.ok += outcomes.ok;
    counts.operations += outcomes.ok + outcomes.fail + outcomes.unknown;
    addTo(
      this.pairs,
      [...pairs].map((pair) => [pair, 1]),
    );
    addTo(this.faults, faults);
  }

  get faultCount(): number {
    return [...this.faults.values()].reduce((sum, count) => sum + count, 0);
  }

  get faultTable(): string {
    return [...this.faults]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([fault, count]) => `${fault} ${count}`)
      .join(', ');
  }

  get summary(): string {
    const { seeds, steps, ok, operations } = this.counts;
    const done = `${seeds} seeds, ${steps} steps, ${ok}/${operations} ok`;
    return `${done}; faults: ${this.faultTable}; ${this.coverage.summary}`;
  }
}

function addTo(sums: Map<string, number>, more: Iterable<readonly [string, number]>): void {
  for (const [name, count] of more) sums.set(name, (sums.get(name) ?? 0) + count);
}
