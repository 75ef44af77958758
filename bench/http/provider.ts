// A provider of remote jobs in a process of its own, which writes down when it is asked.
import { ProviderSimulator } from '../../packages/ogc/test/provider/simulator.ts';
import { serve } from '../harness/remote.ts';
import { percentile } from '../harness/statistics.ts';
import { nowMs } from '../peers/wire.ts';

export interface Polled {
  readonly jobs: number;
  readonly polls: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Between two polls of one job, ms. */
  readonly gapP50: number;
  readonly gapP99: number;
}

/** What this process does. */
export interface ProviderVerbs {
  /** Answers with its address. */
  open(statuses: readonly string[]): Promise<string>;
  /** Polls so far. */
  count(given: null): Promise<number>;
  /** All that was asked. */
  look(given: null): Promise<Polled>;
  close(given: null): Promise<void>;
}

let simulator: ProviderSimulator | null = null;
const times = new Map<string, number[]>();
let count = 0;

const verbs: ProviderVerbs = {
  async open(statuses) {
    simulator = await new ProviderSimulator({ statuses }).open();
    simulator.on('GET /jobs/*', ({ path }) => {
      count += 1;
      const of = times.get(path);
      if (of === undefined) times.set(path, [nowMs()]);
      else of.push(nowMs());
      // What was seen is counted here; kept, it would fill the memory.
      simulator!.seen.length = 0;
      return null;
    });
    return simulator.url;
  },
  count: async () => count,
  async look() {
    const polls = [...times.values()];
    const gaps = polls.flatMap((of) => of.slice(1).map((at, index) => at - of[index]!));
    const all = polls.flat();
    return {
      jobs: simulator!.jobs.size,
      polls: all.length,
      firstAt: percentile(all, 0),
      lastAt: percentile(all, 100),
      gapP50: percentile(gaps, 50),
      gapP99: percentile(gaps, 99),
    };
  },
  async close() {
    await simulator?.close();
  },
};

serve({ ...verbs });
