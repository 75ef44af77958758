import type { Instant } from '../../core/clock.ts';
import type { RecordedAttempt } from './stretch.ts';

interface Waiting {
  readonly attempt: number;
  startedAt: Instant | null;
}

/**
 * When the handlers of one worker really began. A worker claims ahead of a free slot, and the log
 * has the claim: with so many slots a handler began when one was free, first come, first served.
 * Null: it never did. Attempts come in the order of their claims.
 */
export function handlerStarts(
  attempts: readonly RecordedAttempt[],
  slots: number,
): (Instant | null)[] {
  const found: Waiting[] = attempts.map((_, attempt) => ({ attempt, startedAt: null }));
  const line: Waiting[] = [];
  let free = slots;
  const begin = (at: Instant): void => {
    while (free > 0 && line.length > 0) {
      line.shift()!.startedAt = at;
      free -= 1;
    }
  };
  for (const { at, attempt, isEnd } of inOrder(attempts)) {
    const one = found[attempt]!;
    if (!isEnd) line.push(one);
    else if (one.startedAt === null) line.splice(line.indexOf(one), 1);
    else free += 1;
    begin(at);
  }
  return found.map(({ startedAt }) => startedAt);
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
