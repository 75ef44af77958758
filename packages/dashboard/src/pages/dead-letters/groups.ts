import type { DeadLetterJson } from '../../../../pawl/src/contract/dead-letter.ts';

/** The same fault of the same type. */
export interface Group {
  readonly key: string;
  readonly type: string;
  readonly reasonCode: string;
  readonly fingerprint: string;
  readonly letters: readonly DeadLetterJson[];
  readonly open: number;
}

const HOUR_MS = 3_600_000;
const HOURS = 24;

/** The largest first. */
export function groupsOf(letters: readonly DeadLetterJson[]): Group[] {
  const byKind = Map.groupBy(letters, ({ reasonCode, fingerprint, type }) =>
    [type, reasonCode, fingerprint].join(' '),
  );
  return [...byKind]
    .map(([key, group]) => {
      const { type, reasonCode, fingerprint } = group[0]!;
      const open = group.filter(({ replayedAs }) => replayedAs === null).length;
      return { key, type, reasonCode, fingerprint, letters: group, open };
    })
    .toSorted((one, other) => other.letters.length - one.letters.length);
}

/** How many came in each of the last 24 hours, the latest last. */
export function trendOf(letters: readonly DeadLetterJson[], time: number): number[] {
  const hours = Array.from({ length: HOURS }, () => 0);
  for (const { createdAt } of letters) {
    const ago = Math.floor((time - Date.parse(createdAt)) / HOUR_MS);
    const at = HOURS - 1 - Math.max(0, ago);
    if (at >= 0) hours[at]! += 1;
  }
  return hours;
}
