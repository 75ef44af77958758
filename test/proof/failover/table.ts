// The failover table: what each fault did, in each mode, by each way to the primary.
import type { Mode } from '../../../scripts/cluster/patroni.ts';

/** One time that a fault was done. */
export interface Row {
  readonly fault: string;
  readonly mode: Mode;
  readonly hasFailedOver: boolean;
  /** Milliseconds without service, by route. */
  readonly outages: ReadonlyMap<string, number>;
  readonly from: number;
  readonly to: number;
  acknowledged: number;
  lost: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function seconds(rows: readonly Row[], route: string): string {
  const all = rows.flatMap(({ outages }) => outages.get(route) ?? []);
  const [usual, worst] = [median(all), Math.max(...all)].map((ms) => Math.round(ms / 1_000));
  return usual === worst ? `${worst}` : `${usual}–${worst}`;
}

/** In Markdown; seconds are the median and the longest. */
export function tableOf(rows: readonly Row[], routes: readonly string[]): readonly string[] {
  const groups = Map.groupBy(rows, ({ fault, mode }) => `${fault} | ${mode}`);
  const sum = (some: readonly Row[], name: 'acknowledged' | 'lost'): number =>
    some.reduce((total, row) => total + row[name], 0);
  const head = ['fault', 'mode', 'times', 'failovers', 'acknowledged', 'lost', ...routes];
  return [
    `| ${head.join(' | ')} |`,
    `|${'---|'.repeat(head.length)}`,
    ...[...groups].map(([name, some]) => {
      const failovers = some.filter(({ hasFailedOver }) => hasFailedOver).length;
      const counts = [some.length, failovers, sum(some, 'acknowledged'), sum(some, 'lost')];
      const outages = routes.map((route) => seconds(some, route));
      return `| ${[name, ...counts, ...outages].join(' | ')} |`;
    }),
  ];
}
