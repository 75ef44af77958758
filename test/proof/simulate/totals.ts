import { builtInLifecycles } from '../../../src/lifecycles/built-in.ts';
import type { SimulationReport } from '../../simulation/simulate.ts';
import { RowCoverage } from '../../support/world-rows.ts';

/** What many seeds have come to. */
export class Totals {
  readonly coverage: RowCoverage = new RowCoverage(builtInLifecycles);
  readonly faults: Map<string, number> = new Map();
  readonly pairs: Set<string> = new Set();
  seeds: number = 0;
  steps: number = 0;
  jobs: number = 0;
  ok: number = 0;
  operations: number = 0;

  add({ steps, faults, outcomes, jobs, pairs }: SimulationReport): void {
    this.seeds += 1;
    this.steps += steps;
    this.jobs += jobs;
    this.ok += outcomes.ok;
    this.operations += outcomes.ok + outcomes.fail + outcomes.unknown;
    for (const pair of pairs) this.pairs.add(pair);
    for (const [fault, count] of faults) {
      this.faults.set(fault, (this.faults.get(fault) ?? 0) + count);
    }
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
    const done = `${this.seeds} seeds, ${this.steps} steps, ${this.ok}/${this.operations} ok`;
    return `${done}; faults: ${this.faultTable}; ${this.coverage.summary}`;
  }
}
