/** One quantity, or several of one unit, over the same seconds. */
export interface Panel {
  readonly title: string;
  readonly lines: readonly { readonly name: string; readonly values: readonly number[] }[];
}

const WIDTH = 780;
const LEFT = 64;
const RIGHT = 150;
const HEIGHT = 110;
const GAP = 46;
const TOP = 40;
/** Told apart on light and dark pages, and by people who do not see all colours. */
const COLOURS = ['#2f6fdd', '#d9822b', '#3a9d6b', '#b0559b'];

/** Panels below each other over one axis of seconds. */
export function lineChart(
  title: string,
  seconds: readonly number[],
  panels: readonly Panel[],
): string {
  const height = TOP + panels.length * (HEIGHT + GAP);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img"`,
    `  aria-label="${escaped(title)}" font-family="system-ui, sans-serif" font-size="12"`,
    '  fill="#6b7684">',
    `  <text x="8" y="18" font-size="14" font-weight="600">${escaped(title)}</text>`,
    ...panels.map((panel, index) => panelOf(panel, seconds, TOP + index * (HEIGHT + GAP))),
    '</svg>',
    '',
  ].join('\n');
}

function panelOf({ title, lines }: Panel, seconds: readonly number[], top: number): string {
  const most = Math.max(1, ...lines.flatMap(({ values }) => values));
  const last = Math.max(1, seconds.at(-1) ?? 1);
  const floor = top + 14 + HEIGHT;
  const x = (second: number): number => LEFT + (second / last) * (WIDTH - LEFT - RIGHT);
  const y = (value: number): number => floor - (value / most) * HEIGHT;
  const axis = (value: number): string =>
    `  <path d="M${LEFT} ${y(value)}H${WIDTH - RIGHT}" stroke="#9aa4b2" stroke-width="0.5"/>\n` +
    `  <text x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end">${shown(value)}</text>`;
  const drawn = lines.map(({ name, values }, index) => {
    const points = values.map(
      (value, at) => `${x(seconds[at]!).toFixed(1)},${y(value).toFixed(1)}`,
    );
    const colour = COLOURS[index % COLOURS.length]!;
    return (
      `  <polyline points="${points.join(' ')}" fill="none" stroke="${colour}"` +
      ' stroke-width="1.5"/>\n' +
      `  <text x="${WIDTH - RIGHT + 8}" y="${top + 26 + index * 16}" fill="${colour}">` +
      `${escaped(name)}</text>`
    );
  });
  return [
    `  <text x="${LEFT}" y="${top + 6}" font-weight="600">${escaped(title)}</text>`,
    ...[0, most / 2, most].map(axis),
    ...drawn,
    `  <text x="${WIDTH - RIGHT}" y="${floor + 14}" text-anchor="end">${shown(last)} s</text>`,
  ].join('\n');
}

function shown(value: number): string {
  if (value > 0 && value < 10) return value.toFixed(1);
  return Math.round(value).toLocaleString('en');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
