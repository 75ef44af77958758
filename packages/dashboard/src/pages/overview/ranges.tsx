import { hrefOf, place } from '../../route.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface Range {
  readonly name: string;
  readonly title: string;
  readonly ms: number;
  readonly stepSeconds: number;
}

export const RANGES: readonly Range[] = [
  { name: '1h', title: '1 h', ms: HOUR_MS, stepSeconds: 60 },
  { name: '24h', title: '24 h', ms: DAY_MS, stepSeconds: 900 },
  { name: '7d', title: '7 d', ms: 7 * DAY_MS, stepSeconds: 7_200 },
  { name: '30d', title: '30 d', ms: 30 * DAY_MS, stepSeconds: 28_800 },
];

/** The one in the address; whoever sends that sends the range. */
export function chosenRange(): Range {
  const name = place.value.query.get('range');
  return RANGES.find((range) => range.name === name) ?? RANGES[0]!;
}

/** How far back the charts go. */
export function RangeChoice() {
  const chosen = chosenRange();
  const { parts, query } = place.value;
  const kept = Object.fromEntries(query);
  return (
    <nav class="ranges" aria-label="Time range">
      {RANGES.map(({ name, title }) => (
        <a
          key={name}
          href={hrefOf(parts, { ...kept, range: name })}
          aria-current={name === chosen.name ? 'true' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}
