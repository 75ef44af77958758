import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
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

function ink(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function optionsFor({ lines, height = 170 }: Chart, width: number): uPlot.Options {
  const axis = { stroke: ink('--quiet'), grid: { stroke: ink('--line'), width: 1 }, ticks: {} };
  return {
    width,
    height,
    cursor: { y: false },
    legend: { live: true },
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.1)] } },
    axes: [axis, { ...axis, size: 46 }],
    series: [
      {},
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
  useEffect(() => {
    const element = room.current;
    if (element === null) return undefined;
    const draw = (): void => {
      plot.current?.destroy();
      const data = [[...chart.times], ...chart.values.map((row) => [...row])];
      plot.current = new uPlot(optionsFor(chart, element.clientWidth), data as never, element);
    };
    const resized = new ResizeObserver(draw);
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
