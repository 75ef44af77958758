import type { Bidi } from './bidi-package.ts';

/** Letters of scripts that run from right to left, and marks that turn text. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08FF\u200F\u202B\u202E\u2067\uFB1D-\uFDFF\uFE70-\uFEFC]|\uD802|\uD803|\uD83A|\uD83B/;

export function hasRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}

/** A stretch of one direction: odd levels run from right to left. */
export interface LevelRun {
  readonly start: number;
  readonly end: number;
  readonly level: number;
}

/** The level of each code unit; null where all of a text runs from left to right. */
export function levelsOf(
  bidi: Bidi,
  text: string,
  direction: 'ltr' | 'rtl' | undefined,
): Uint8Array | null {
  if (direction !== 'rtl' && !hasRightToLeft(text)) return null;
  return bidi.getEmbeddingLevels(text, direction ?? 'auto').levels;
}

/** Stretches of one level, in the order of the text. */
export function levelRuns(levels: Uint8Array, start: number, end: number): LevelRun[] {
  const runs: LevelRun[] = [];
  for (let from = start, at = start + 1; from < end; at++) {
    if (at < end && levels[at] === levels[from]) continue;
    runs.push({ start: from, end: at, level: levels[from]! });
    from = at;
  }
  return runs;
}

/** The order from left to right in which stretches of some levels are seen. */
export function visualOrder(levels: readonly number[]): number[] {
  const order = levels.map((_, index) => index);
  const odd = levels.filter((level) => level % 2 === 1);
  const lowest = Math.min(...odd);
  for (let level = Math.max(0, ...levels); level >= lowest; level--) {
    for (let from = 0; from < order.length; from++) {
      if (levels[order[from]!]! < level) continue;
      let to = from;
      while (to + 1 < order.length && levels[order[to + 1]!]! >= level) to++;
      order.splice(from, to - from + 1, ...order.slice(from, to + 1).toReversed());
      from = to;
    }
  }
  return order;
}

/** Brackets and the like as they are seen from the other side. */
export function mirrored(bidi: Bidi, text: string): string {
  return Array.from(text, (letter) => bidi.getMirroredCharacter(letter) ?? letter).join('');
}
