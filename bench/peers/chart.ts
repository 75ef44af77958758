export interface Bar {
  readonly name: string;
  readonly value: number;
  /** Of the ones that the reader came for. */
  readonly isOwn: boolean;
}

const LINE = 22;
const LABELS = 250;
const BARS = 430;
const WIDTH = 780;
const TOP = 34;

/** Horizontal bars, the longest first, that are read on light and dark pages alike. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const sorted = bars.toSorted((one, other) => other.value - one.value);
  const most = Math.max(1, ...sorted.map(({ value }) => value));
  const height = TOP + sorted.length * LINE + 10;
  const lines = sorted.map(({ name, value, isOwn }, index) => {
    const y = TOP + index * LINE;
    const width = Math.max(1, (value / most) * BARS).toFixed(1);
    const text = y + 14;
    return [
      `  <text x="${LABELS - 8}" y="${text}" text-anchor="end">${escaped(name)}</text>`,
      `  <rect x="${LABELS}" y="${y + 3}" width="${width}" height="${LINE - 8}" rx="2"`,
      `    fill="${isOwn ? '#2f6fdd' : '#9aa4b2'}"/>`,
      `  <text x="${LABELS + Number(width) + 6}" y="${text}">${shown(value)}</text>`,
    ].join('\n');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img"`,
    `  aria-label="${escaped(title)}" font-family="system-ui, sans-serif" font-size="12"`,
    '  fill="#6b7684">',
    `  <text x="8" y="18" font-size="14" font-weight="600">${escaped(title)}</text>`,
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

function shown(value: number): string {
  return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
