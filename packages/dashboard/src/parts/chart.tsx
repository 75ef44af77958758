import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { zone } from './clock.ts';
import 'uplot/dist/uPlot.min.css';

export interface Line {
  readonly title: string;
  /** A custom property of the style sheet, such as `--good`. */
  readonly ink: string;
}

interface Chart {
  /** Seconds since the epoch. */
  readonly times: readonly number[];
  readonly values: readonly (readonly (number | null)[])[];
  readonly lines: readonly Line[];
  readonly height?: number;
  readonly label: string;
}

/** Ticks of time: never below ten seconds, whatever the width. */
const STEPS = [10, 30, 60, 120, 300, 600, 1_800, 3_600, 21_600, 86_400];

function ink(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function clockText(second: number): string {
  const time = new Date(second * 1_000);
  const withSeconds = time.getSeconds() !== 0;
  return time.toLocaleTimeString([], {
    hour: '2-digit',
    minute: '2-digit',
    ...(withSeconds ? { second: '2-digit' } : {}),
    hourCycle: 'h23',
    ...zone(),
  });
}

function optionsFor({ lines, height = 170 }: Chart, width: number): uPlot.Options {
  const axis = { stroke: ink('--quiet'), grid: { stroke: ink('--line'), width: 1 }, ticks: {} };
  return {
    width,
    height,
    cursor: { y: false },
    legend: { live: false },
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.1)] } },
    axes: [
      {
        ...axis,
        incrs: STEPS,
        space: 70,
        values: (_plot, splits) => splits.map(clockText),
      },
      { ...axis, size: 46, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000] },
    ],
    series: [
      { value: (_plot, second) => (second === null ? '–' : clockText(second)) },
      ...lines.map(({ title, ink: name }) => ({
        label: title,
        stroke: ink(name),
        fill: `${ink(name)}22`,
        width: 1.6,
        points: { show: false },
      })),
    ],
  };
}

/** Lines over time that move as the values do. */
export function Chart(chart: Chart) {
  const room = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(chart);
  latest.current = chart;
  useEffect(() => {
    const element = room.current;
    if (element === null) return undefined;
    const draw = (): void => {
      plot.current?.destroy();
      const { times, values } = latest.current;
      const data = [[...times], ...values.map((row) => [...row])];
      const options = optionsFor(latest.current, element.clientWidth);
      plot.current = new uPlot(options, data as never, element);
    };
    // Height follows from the width: looking at it too would draw for ever.
    let width = 0;
    const resized = new ResizeObserver(() => {
      if (element.clientWidth !== width) draw();
      width = element.clientWidth;
    });
    resized.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', draw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, []);
  useEffect(() => {
    plot.current?.setData([[...chart.times], ...chart.values.map((row) => [...row])] as never);
  }, [chart.times, chart.values]);
  return <div class="chart" ref={room} role="img" aria-label={chart.label} />;
}
