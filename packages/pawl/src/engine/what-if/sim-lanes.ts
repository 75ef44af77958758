import { GATE } from '../../store/gate.ts';
import { shareOut } from '../../store/share.ts';
import { Heap } from './heap.ts';
import { byUrgency, type SimJob } from './sim-job.ts';
import type { ConcurrencyRule } from './stretch.ts';

interface Lane {
  readonly tenant: string;
  readonly type: string;
  readonly line: Heap<SimJob>;
  /** The rules that bound it, with how many they count. */
  readonly bounds: readonly Bound[];
}

interface Bound {
  readonly concurrency: number;
  owned: number;
}

/** Claimable jobs by lane, and claims of them by the rules of the stores (store/claim.ts). */
export class SimLanes {
  readonly #lanes: Map<string, Lane> = new Map();
  readonly #open: Set<Lane> = new Set();
  readonly #bounds: ReadonlyMap<string, Bound>;
  #turn = 0;

  constructor(rules: readonly ConcurrencyRule[]) {
    this.#bounds = new Map(
      rules.map((rule) => [boundKey(rule), { concurrency: rule.concurrency, owned: 0 }]),
    );
  }

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  add(job: SimJob): void {
    const lane = this.#laneOf(job);
    lane.line.push(job);
    this.#open.add(lane);
  }

  /** Takes up to `max` jobs of these types, each with `take`. */
  claim(types: ReadonlySet<string>, max: number, take: (job: SimJob) => void): number {
    const lanes = [...this.#open].filter((lane) => {
      const head = headOf(lane.line);
      if (head === undefined) this.#open.delete(lane);
      return head !== undefined && types.has(lane.type);
    });
    lanes.sort((one, other) => byUrgency(one.line.first!, other.line.first!));
    let taken = 0;
    shareOut(lanes, { max, turn: this.#turn++ }, ({ line, bounds }, count) => {
      const room = Math.min(count, ...bounds.map(({ concurrency, owned }) => concurrency - owned));
      let won = 0;
      while (won < room && headOf(line) !== undefined) {
        take(line.pop()!);
        won += 1;
      }
      taken += won;
      return won;
    });
    return taken;
  }

  count(job: SimJob, change: 1 | -1): void {
    for (const bound of this.#laneOf(job).bounds) bound.owned += change;
  }

  #laneOf({ plan: { tenant, queue, type } }: SimJob): Lane {
    const key = JSON.stringify([tenant, queue, type]);
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      const names = [
        { tenant, scope: 'queue', name: queue } as const,
        { tenant, scope: 'type', name: type } as const,
      ];
      const bounds = names.flatMap((name) => this.#bounds.get(boundKey(name)) ?? []);
      lane = { tenant, type, line: new Heap(byUrgency), bounds };
      this.#lanes.set(key, lane);
    }
    return lane;
  }
}

function boundKey({ tenant, scope, name }: Omit<ConcurrencyRule, 'concurrency'>): string {
  return JSON.stringify([tenant, scope, name]);
}

/** Who has left its line is still in the heap, and is passed over. */
function headOf(line: Heap<SimJob>): SimJob | undefined {
  while (line.first !== undefined && line.first.state !== GATE.open) line.pop();
  return line.first;
}
