const EIGHTHS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** Values as a line of bars, the highest of which stands for `max`; anything above 0 is seen. */
export function sparkText(values: readonly number[], max: number): string {
  return values
    .map((value) => {
      if (value <= 0 || max <= 0) return EIGHTHS[0];
      return EIGHTHS[Math.min(8, Math.max(1, Math.round((value / max) * 8)))];
    })
    .join('');
}
