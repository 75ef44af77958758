// Seeds of flows alone, and of a platform over two cells, added up.
import { TwoCells } from '../../simulation/cells/two-cells.ts';
import { simulateFlows } from '../../simulation/flows/simulate-flows.ts';
import { simulate } from '../../simulation/simulate.ts';
import { inMemory, type OpenStore } from '../../support/world.ts';
import { sqliteInline } from '../../support/world-stores.ts';
import type { Counts, RungOptions, RungReport, Say } from '../figures.ts';

interface Played {
  readonly counts: Counts;
  readonly traceHash: string;
  readonly problems: readonly string[];
  readonly traceTail: readonly string[];
}

interface Cast {
  /** Whether a seed leaves the same trace on every store. */
  readonly isAlike: boolean;
  readonly play: (seed: number, open: OpenStore) => Promise<Played>;
}

/** What `--cast` can name beside `plain` and `swarm`. */
export const CASTS: Readonly<Record<string, Cast>> = {
  flows: {
    isAlike: true,
    play: async (seed, open) => {
      const report = await simulateFlows({ seed, open });
      const { steps, jobs, waits, zombies, faults, ...told } = report;
      return { ...told, counts: { steps, jobs, waits, zombies, faults } };
    },
  },
  /** Each of two cells is away now and then; who looks through rows notices it, store by store. */
  cells: {
    isAlike: false,
    play: async (seed, open) => {
      const site = new TwoCells(open, seed);
      const run = { seed, open: site.open, cast: 'swarm', onHealed: site.heal } as const;
      const { steps, jobs, zombies, faultsDrawn: faults, ...told } = await simulate(run);
      const { absences } = site;
      return { ...told, counts: { steps, jobs, zombies, faults, absences } };
    },
  },
};

const VIOLATIONS_MAX = 5;
const TOLD_EVERY = 500;
const TRACE_TOLD = 40;

/** The arguments of `proof:simulate`, with one of these casts: in memory unless told otherwise. */
export async function runCast(name: string, options: RungOptions, say: Say): Promise<RungReport> {
  const { play, isAlike } = CASTS[name]!;
  const from = options.number('from', 100_000);
  const until = from + options.number('seeds', 1_000);
  const across = options.number('across', 10);
  const stores = [inMemory, sqliteInline.open];
  const [open, other] = options.text('store') === 'sqlite' ? stores.toReversed() : stores;
  const isTimeLeft = options.isTimeLeft();
  const sums: Record<string, number> = { seeds: 0 };
  const violations: string[] = [];
  for (let seed = from; seed < until && isTimeLeft(); seed++) {
    if (violations.length >= VIOLATIONS_MAX) break;
    const one = await play(seed, open!);
    add(sums, { ...one.counts, seeds: 1 });
    if (one.problems.length > 0) violations.push(explain(name, seed, one));
    if (across > 0 && seed % across === 0) {
      const again = await play(seed, other!);
      add(sums, { repeatedSteps: again.counts['steps']! });
      if (again.problems.length > 0) violations.push(explain(name, seed, again));
      if (isAlike && again.traceHash !== one.traceHash) {
        violations.push(`${name}, seed ${seed}: left another trace on the other store`);
      }
    }
    if (sums['seeds']! % TOLD_EVERY === 0) say(`${sums['seeds']} seeds, ${sums['steps']} steps`);
  }
  return { figures: { cast: name, ...sums }, violations, counts: sums };
}

function explain(name: string, seed: number, { problems, traceTail }: Played): string {
  const again = `again: npm run proof:simulate -- --cast ${name} --from ${seed} --seeds 1`;
  const told = [...problems.slice(0, 5), ...traceTail.slice(-TRACE_TOLD), again];
  return `${name}, seed ${seed} failed: ${told.join('\n')}`;
}

function add(sums: Record<string, number>, more: Counts): void {
  for (const [name, count] of Object.entries(more)) sums[name] = (sums[name] ?? 0) + count;
}
