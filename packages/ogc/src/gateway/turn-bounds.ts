import type { Clock, Instant } from 'pawl/define';
import type { Provider } from './provider.ts';
import type { GatewaySettings } from './settings.ts';

/** What a turn asks its provider for; a `search` is for a job that may have been begun. */
export type Errand = 'forward' | 'poll' | 'search';

/** Room for a turn, to be given back; or for how long it is put off. */
export type Entry =
  | { readonly kind: 'entered'; readonly leave: () => void }
  | { readonly kind: 'full'; readonly waitMs: number };

interface Line {
  /** When each turn that is under way began, the oldest first. */
  readonly begun: Set<{ readonly at: Instant }>;
  /** Until when those that were put off stay away, the soonest first. */
  putOff: Instant[];
}

/** Each reads all jobs of the provider and all of ours: after a crash many would at once. */
const SEARCHES_MAX = 1;
const WAIT_MS_MIN = 100;
const WAIT_MS_MAX = 30_000;

/**
 * How many forwards, polls and searches a process has under way at a time, at each provider and for
 * each of its processes. A turn that finds no room is put off and holds no slot of a worker, so
 * forwards that hang delay no poll, and a process that hangs no other.
 */
export class TurnBounds {
  readonly #clock: Clock;
  readonly #lines: Map<string, Line> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  enter({ name, settings }: Provider, process: string, errand: Errand): Entry {
    const [providerMax, processMax] = maximaOf(settings, errand);
    const bounds: [Line, number][] = [
      [this.#lineOf([errand, name]), providerMax],
      [this.#lineOf([errand, name, process]), processMax],
    ];
    const now = this.#clock.now();
    const full = bounds.find(([{ begun }, max]) => begun.size >= max);
    if (full !== undefined) return { kind: 'full', waitMs: putOff(full[0], full[1], now) };
    const turn = { at: now };
    for (const [{ begun }] of bounds) begun.add(turn);
    const leave = (): void => {
      for (const [{ begun }] of bounds) begun.delete(turn);
    };
    return { kind: 'entered', leave };
  }

  #lineOf(names: readonly string[]): Line {
    const key = JSON.stringify(names);
    const known = this.#lines.get(key);
    if (known !== undefined) return known;
    const line: Line = { begun: new Set(), putOff: [] };
    this.#lines.set(key, line);
    return line;
  }
}

/** At the provider, and of one process. */
function maximaOf(settings: GatewaySettings, errand: Errand): readonly [number, number] {
  const { forwardsMax, pollsMax, processForwardsMax, processPollsMax } = settings;
  switch (errand) {
    case 'forward':
      return [forwardsMax, processForwardsMax];
    case 'poll':
      return [pollsMax, processPollsMax];
    case 'search':
      return [SEARCHES_MAX, SEARCHES_MAX];
  }
}

/** About as long as those before it will take, at the pace of the one that is under way longest. */
function putOff(line: Line, max: number, now: Instant): number {
  const [oldest] = line.begun;
  line.putOff = line.putOff.filter((until) => until > now);
  const rounds = 1 + Math.floor(line.putOff.length / max);
  const estimateMs = (now - (oldest?.at ?? now)) * rounds;
  const waitMs = Math.min(WAIT_MS_MAX, Math.max(WAIT_MS_MIN * rounds, estimateMs));
  line.putOff.push(now + waitMs);
  return waitMs;
}
