// A series over time as lines of text, so that a page of results can be read anywhere.

const HEIGHT = 8;
const WIDTH_MAX = 72;

/** So many columns at most, each the mean of the points that fall into it. */
function columnsOf(values: readonly number[]): number[] {
  const width = Math.min(WIDTH_MAX, values.length);
  return Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * values.length) / width);
    const to = Math.max(from + 1, Math.floor(((column + 1) * values.length) / width));
    const some = values.slice(from, to);
    return some.reduce((sum, value) => sum + value, 0) / some.length;
  });
}

/** From 0 upwards, time from left to right. */
export function chartOf(title: string, values: readonly number[]): string {
  const columns = columnsOf(values);
  const top = Math.max(...columns, 1);
  const digits = top < 20 ? 1 : 0;
  const label = (value: number): string => value.toFixed(digits).padStart(9);
  const lines = Array.from({ length: HEIGHT }, (_, row) => {
    const level = (HEIGHT - row - 0.5) / HEIGHT;
    const marks = columns.map((value) => (value / top >= level ? '█' : ' ')).join('');
    return `${label((top * (HEIGHT - row)) / HEIGHT)} │${marks.trimEnd()}`;
  });
  return [title, ...lines, `${label(0)} └${'─'.repeat(columns.length)}`].join('\n');
}

/** The mean of the last third against the mean of the third before it: 1 is flat. */
export function growthOf(values: readonly number[]): number {
  const third = Math.floor(values.length / 3);
  if (third === 0) return 1;
  const mean = (some: readonly number[]): number =>
    some.reduce((sum, value) => sum + value, 0) / some.length;
  const before = mean(values.slice(-2 * third, -third));
  return before === 0 ? 1 : mean(values.slice(-third)) / before;
}
