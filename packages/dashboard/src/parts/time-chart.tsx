import { useSignal } from '@preact/signals';
import { zone } from './clock.ts';

export interface Series {
  readonly title: string;
  /** A custom property of the style sheet, such as `--good`. */
  readonly ink: string;
  /** One value a step; null where it is not known. */
  readonly values: readonly (number | null)[];
}

export interface Mark {
  readonly at: number;
  readonly title: string;
}

interface Given {
  readonly label: string;
  /** When each step begins, in milliseconds. */
  readonly times: readonly number[];
  readonly stepMs: number;
  /** Those before the last are drawn as bars on top of each other where `isStacked`. */
  readonly series: readonly Series[];
  readonly isStacked?: boolean;
  readonly marks?: readonly Mark[];
  /** Steps of which nothing is known at all. */
  readonly isUnknown: readonly boolean[];
  readonly format: (value: number) => string;
  /** Called with the times that were dragged over. */
  readonly onBrush?: (from: number, to: number) => void;
}

const HEIGHT = 100;
const DAY_MS = 86_400_000;
const TICKS = 5;

/** The next round number above: 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5, 10].find((one) => one * power >= value) ?? 10);
}

function timeText(at: number, spanMs: number): string {
  const isLong = spanMs > DAY_MS;
  return new Date(at).toLocaleString([], {
    ...(isLong ? { day: 'numeric', month: 'short' } : {}),
    ...(spanMs > 7 * DAY_MS ? {} : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    ...zone(),
  });
}

function highestOf({ series, isStacked = false, times }: Given): number {
  if (!isStacked) return Math.max(0, ...series.flatMap(({ values }) => values.map((v) => v ?? 0)));
  return Math.max(
    0,
    ...times.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0)),
  );
}

/** Where a value is known, as pieces of a line: what is not known is a hole and not 0. */
function pathOf(values: readonly (number | null)[], most: number): string {
  let isDown = false;
  const parts = values.map((value, at) => {
    if (value === null) {
      isDown = false;
      return '';
    }
    const point = `${at + 0.5} ${HEIGHT - (HEIGHT * value) / most}`;
    // A value between two holes is a dash of its own.
    const part = isDown ? `L${point}` : `M${at + 0.1} ${point.split(' ')[1]}L${point}`;
    isDown = true;
    return values[at + 1] === null || at === values.length - 1
      ? `${part}L${at + 0.9} ${point.split(' ')[1]}`
      : part;
  });
  return parts.join('');
}

function Bars({ given, most }: { readonly given: Given; readonly most: number }) {
  const { series, times } = given;
  return (
    <>
      {times.map((time, at) => {
        let base = HEIGHT;
        return series.map(({ title, ink, values }) => {
          const height = (HEIGHT * (values[at] ?? 0)) / most;
          base -= height;
          if (height === 0) return null;
          const style = { '--ink': `var(${ink})` };
          const key = `${time} ${title}`;
          return (
            <rect
              class="series-bar"
              key={key}
              x={at + 0.06}
              y={base}
              width={0.88}
              height={height}
              style={style}
            />
          );
        });
      })}
    </>
  );
}

function Lines({ given, most }: { readonly given: Given; readonly most: number }) {
  return (
    <>
      {given.series.map(({ title, ink, values }) => (
        <path
          key={title}
          class="series-line"
          d={pathOf(values, most)}
          style={{ '--ink': `var(${ink})` }}
        />
      ))}
    </>
  );
}

function Keys({ given }: { readonly given: Given }) {
  return (
    <div class="quiet">
      {given.series.map(({ title, ink }) => (
        <span class="key" key={title} style={{ '--ink': `var(${ink})` }}>
          <i /> {title}
        </span>
      ))}
    </div>
  );
}

function readingOf(given: Given, at: number | null): string {
  const { times, series, stepMs, format, marks = [] } = given;
  if (at === null || times[at] === undefined) return '';
  const from = times[at];
  const told = series.map(({ title, values }) => {
    const value = values[at] ?? null;
    return `${title} ${value === null ? '–' : format(value)}`;
  });
  const deploys = marks.filter((mark) => mark.at >= from && mark.at < from + stepMs);
  const all = [...told, ...deploys.map(({ title }) => title)];
  if (given.isUnknown[at] === true) return `${timeText(from, DAY_MS)}: no data`;
  return `${timeText(from, times.at(-1)! - times[0]!)}: ${all.join(', ')}`;
}

type Pointed = PointerEvent & { readonly currentTarget: Element };

/** The step that the pointer is over. */
function stepAt(event: Pointed, count: number): number {
  const box = event.currentTarget.getBoundingClientRect();
  const share = (event.clientX - box.left) / box.width;
  return Math.min(count - 1, Math.max(0, Math.floor(share * count)));
}

/** What is drawn, in units of a step across and of a hundredth of the height. */
function Drawing({ given, brush }: { given: Given; brush: readonly [number, number] | null }) {
  const { times, stepMs, isStacked = false, marks = [], isUnknown } = given;
  const most = roundUp(highestOf(given));
  const count = Math.max(1, times.length);
  return (
    <>
      <svg viewBox={`0 0 ${count} ${HEIGHT}`} preserveAspectRatio="none">
        <line class="grid-line" x1={0} x2={count} y1={HEIGHT / 2} y2={HEIGHT / 2} />
        {isUnknown.map(
          (is, at) =>
            is && <rect class="unknown" key={at} x={at} y={0} width={1} height={HEIGHT} />,
        )}
        {isStacked ? <Bars given={given} most={most} /> : <Lines given={given} most={most} />}
        {marks.map(({ at, title }) => {
          const x = (at - times[0]!) / stepMs;
          return <line class="mark" key={`${at} ${title}`} x1={x} x2={x} y1={0} y2={HEIGHT} />;
        })}
        {brush !== null && (
          <rect class="brush" x={brush[0]} y={0} width={brush[1] - brush[0] + 1} height={HEIGHT} />
        )}
      </svg>
      <span class="top">{given.format(most)}</span>
      {isUnknown.every(Boolean) && <span class="no-data">No data for this period yet</span>}
    </>
  );
}

/** What happened over time; drag over a part of it to see its jobs. */
export function TimeChart(given: Given) {
  const { label, times, stepMs, onBrush } = given;
  const pointed = useSignal<number | null>(null);
  const begun = useSignal<number | null>(null);
  const count = times.length;
  const spanMs = count * stepMs;
  const ends = [begun.value, pointed.value].flatMap((one) => one ?? []);
  const brush = ends.length < 2 ? null : ([Math.min(...ends), Math.max(...ends)] as const);
  const finish = (event: Pointed): void => {
    const from = begun.value;
    begun.value = null;
    if (from === null || onBrush === undefined) return;
    const to = stepAt(event, count);
    onBrush(times[Math.min(from, to)]!, times[Math.max(from, to)]! + stepMs);
  };
  return (
    <div class="time-chart">
      <Keys given={given} />
      <div
        class="plot"
        role="img"
        aria-label={label}
        onPointerMove={(event) => (pointed.value = stepAt(event, count))}
        onPointerLeave={() => {
          pointed.value = null;
          begun.value = null;
        }}
        onPointerDown={(event) => (begun.value = stepAt(event, count))}
        onPointerUp={finish}
      >
        <Drawing given={given} brush={brush} />
      </div>
      <div class="scale">
        {Array.from({ length: TICKS }, (_, tick) => (
          <span key={tick}>{timeText(times[0]! + (tick * spanMs) / (TICKS - 1), spanMs)}</span>
        ))}
      </div>
      <div class="reading quiet">{readingOf(given, pointed.value)}</div>
    </div>
  );
}
