import type { Instant } from '../../core/clock.ts';
import type { RecordedAttempt } from './stretch.ts';

interface Waiting {
  readonly attempt: number;
  startedAt: Instant | null;
}

export interface Starts {
  /** When the handler of each attempt began; null: it never did. */
  readonly startedAt: readonly (Instant | null)[];
  /** How many jobs waited for a slot after each claim that left none free. */
  readonly aheads: readonly number[];
}

/**
 * When the handlers of one worker really began. A worker claims ahead of a free slot, and the log
 * has the claim: with so many slots a handler began when one was free, first come, first served.
 * Attempts come in the order of their claims.
 */
export function handlerStarts(attempts: readonly RecordedAttempt[], slots: number): Starts {
  const found: Waiting[] = attempts.map((_, attempt) => ({ attempt, startedAt: null }));
  const aheads: number[] = [];
  const line: Waiting[] = [];
  let free = slots;
  const begin = (at: Instant): void => {
    while (free > 0 && line.length > 0) {
      line.shift()!.startedAt = at;
      free -= 1;
    }
  };
  const edges = inOrder(attempts);
  for (const [index, { at, attempt, isEnd }] of edges.entries()) {
    const one = found[attempt]!;
    if (!isEnd) line.push(one);
    else if (one.startedAt === null) line.splice(line.indexOf(one), 1);
    else free += 1;
    begin(at);
    const next = edges[index + 1];
    const isClaimed = !isEnd && (next === undefined || next.isEnd || next.at > at);
    if (isClaimed && free === 0) aheads.push(line.length);
  }
  return { startedAt: found.map(({ startedAt }) => startedAt), aheads };
}

interface Edge {
  readonly at: Instant;
  readonly attempt: number;
  readonly isEnd: boolean;
}

/** At one moment a slot is freed before the next job needs one. */
function inOrder(attempts: readonly RecordedAttempt[]): Edge[] {
  const edges = attempts.flatMap(({ startedAt, endedAt }, attempt): Edge[] => {
    const start = { at: startedAt!, attempt, isEnd: false };
    return endedAt === null ? [start] : [start, { at: endedAt, attempt, isEnd: true }];
  });
  return edges.sort((one, other) => {
    const byTime = one.at - other.at || Number(other.isEnd) - Number(one.isEnd);
    return one.attempt === other.attempt ? Number(one.isEnd) - Number(other.isEnd) : byTime;
  });
}
