export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  if (Number.isInteger(middle)) return (sorted[middle - 1]! + sorted[middle]!) / 2;
  return sorted[Math.floor(middle)]!;
}

/** The smallest value that so many percent of all are not above. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)]!;
}

/** The median, and between which values it lies where there are several. */
export function spread(values: readonly number[], text: (value: number) => string): string {
  if (values.length === 1) return text(values[0]!);
  const range = `(${text(Math.min(...values))}–${text(Math.max(...values))})`;
  return `${text(median(values))} ${range}`;
}
