/** For how long a claim may begin where the last one ended: jobs further ahead wait that long. */
export const HINT_MS = 1_000;

/** A lane, and the rank and age of the last job that was taken there. */
export type LineEnd = readonly [lane: number, rank: string, seq: string];

interface Position {
  readonly rank: string;
  readonly seq: string;
  /** When the lane has to be looked at from its beginning again. */
  readonly until: number;
}

/**
 * Where claims of this process go on in lanes that are long to walk. What was taken stays in the
 * index for as long as somebody's open transaction keeps vacuum away, and every claim would walk
 * over all of it. The database says where a claim ended once it has walked far; for a second the
 * next ones begin there. Whatever comes to stand further ahead meanwhile (a higher priority, a
 * claim that was rolled back, a transaction that committed late) is seen by the whole look after
 * that.
 */
export class LinePositions {
  readonly #positions: Map<number, Position> = new Map();
  readonly #recall: (types: readonly string[]) => void;
  #timer: NodeJS.Timeout | null = null;
  #types: Set<string> = new Set();

  /** `recall` has idle workers of these types look again. */
  constructor(recall: (types: readonly string[]) => void) {
    this.#recall = recall;
  }

  /** By lane, where a claim may begin that is sent now; null: at the beginning of all. */
  hints(now: number): string | null {
    if (this.#positions.size === 0) return null;
    for (const [lane, { until }] of this.#positions) {
      if (until <= now) this.#positions.delete(lane);
    }
    if (this.#positions.size === 0) return null;
    const pairs = [...this.#positions].map(([lane, { rank, seq }]) => [lane, [rank, seq]]);
    return JSON.stringify(Object.fromEntries(pairs));
  }

  /** What a claim that was sent at `sentAt` has answered. Only a whole look begins a new second. */
  learn(
    line: readonly LineEnd[],
    { sentAt, hints }: { sentAt: number; hints: string | null },
  ): void {
    for (const [lane, rank, seq] of line) {
      const known = this.#positions.get(lane);
      if (hints !== null && known === undefined) continue;
      const until = hints === null ? sentAt + HINT_MS : known!.until;
      this.#positions.set(lane, { rank, seq, until });
    }
  }

  /**
   * A claim that did not look from the beginning has found less than it wanted: whoever waits now
   * is called for a whole look, or a job that it passed over would wait for the next poll.
   */
  cameShort(types: readonly string[]): void {
    for (const type of types) this.#types.add(type);
    this.#timer ??= setTimeout(() => {
      const missed = [...this.#types];
      this.#types = new Set();
      this.#timer = null;
      this.#recall(missed);
    }, HINT_MS).unref();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
