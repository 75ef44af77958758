const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** `1.3 s`, `12 min`, `3 d`: two digits at most, in the largest unit that fits. */
export function durationText(ms: number): string {
  const size = Math.abs(ms);
  for (const [unit, length] of UNITS) {
    if (size < length) continue;
    const count = ms / length;
    return `${Math.abs(count) < 10 ? String(Number(count.toFixed(1))) : Math.round(count)} ${unit}`;
  }
  return `${Math.round(ms)} ms`;
}

/** How long ago a time was, or in how long it comes. */
export function sinceText(time: string | null, now: number): string {
  if (time === null) return '–';
  const ms = now - Date.parse(time);
  return ms >= 0 ? `${durationText(ms)} ago` : `in ${durationText(-ms)}`;
}

/** A count with its noun, such as 1 job or 2 jobs. */
export function countText(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** What a terminal would obey is shown instead; lines and tabs stay what they are. */
export function harmless(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    if (character === '\n' || character === '\t') return character;
    return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`;
  });
}

/** Cut to a width, with a sign that something is missing. */
export function clipped(text: string, width: number): string {
  const line = text.replaceAll(/\s+/g, ' ');
  if (line.length <= width) return line;
  return width <= 1 ? line.slice(0, Math.max(0, width)) : `${line.slice(0, width - 1)}…`;
}
