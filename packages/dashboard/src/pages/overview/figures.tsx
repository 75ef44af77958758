import { durationText } from '../../../../pawl/src/cli/terminal/words.ts';
import type { HistoryJson } from '../../../../pawl/src/contract/history.ts';
import type { QueueJson } from '../../../../pawl/src/contract/queue.ts';
import type { WorkerJson } from '../../../../pawl/src/contract/worker-sign.ts';
import { capacityOf } from '../../../../pawl/src/core/figures.ts';
import { get, getAll } from '../../api.ts';
import { type Loaded, useLoaded } from '../../load.ts';
import { now } from '../../now.ts';
import type { Page } from '../../page.ts';
import { hrefOf } from '../../route.ts';

interface Figure {
  readonly title: string;
  readonly value: string;
  readonly level?: 'bad' | 'warn' | '';
  readonly href: string;
}

const FAILING_SHARE = 0.1;
const OLD_MS = 60_000;
/** The last minutes that the figures of what ended are about, the current one included. */
const MINUTES = 5;
/** Over so long it is told whether the backlog grows; less than the second says nothing. */
const TREND_MINUTES = 15;
const TREND_MINUTES_MIN = 3;
/** So many more jobs, and so large a share of what was there, are worth a warning. */
const GROWTH_MIN = 10;
const GROWTH_SHARE = 0.1;
const UNKNOWN = '?';

/** The current minute may not have been read yet. */
function readOf(values: readonly (number | null)[]): readonly (number | null)[] {
  return values.at(-1) === null ? values.slice(0, -1) : values;
}

/** How many of the last minutes in a row are known: few where the platform is new. */
function knownMinutes(values: readonly (number | null)[]): number {
  const read = readOf(values);
  const gap = read.slice(-MINUTES).findLastIndex((one) => one === null);
  return Math.min(MINUTES, read.length) - (gap + 1);
}

function lately(values: readonly (number | null)[], minutes: number): number {
  return readOf(values)
    .slice(-minutes)
    .reduce<number>((sum, one) => sum + (one ?? 0), 0);
}

function flowFigures(history: HistoryJson | null): Figure[] {
  const series = history?.series;
  const minutes = series === undefined ? 0 : knownMinutes(series.succeeded);
  const isKnown = series !== undefined && minutes > 0;
  const done = isKnown ? lately(series.succeeded, minutes) : 0;
  const failed = isKnown ? lately(series.failed, minutes) + lately(series.dead, minutes) : 0;
  const share = done + failed === 0 ? null : failed / (done + failed);
  const span = `in ${isKnown ? minutes : MINUTES} min`;
  return [
    {
      title: `succeeded ${span}`,
      value: isKnown ? done.toLocaleString('en') : UNKNOWN,
      href: hrefOf(['jobs'], { phase: 'succeeded' }),
    },
    {
      title: `failed ${span}`,
      value: !isKnown ? UNKNOWN : share === null ? '–' : `${Math.round(share * 100)} %`,
      level: (share ?? 0) > FAILING_SHARE ? 'bad' : '',
      href: hrefOf(['failures']),
    },
  ];
}

/** How long ago the earliest look of the last minutes was, and how many were ready then. */
function readyBefore(history: HistoryJson | null): { minutes: number; count: number } | null {
  const looks = (history?.series.backlog ?? []).slice(-TREND_MINUTES);
  const at = looks.findIndex((one) => one !== null);
  const minutes = looks.length - at;
  return at < 0 || minutes < TREND_MINUTES_MIN ? null : { minutes, count: looks[at]! };
}

function readyFigure(
  queues: readonly QueueJson[] | null,
  value: string,
  history: HistoryJson | null,
): Figure {
  const href = hrefOf(['jobs'], { phase: 'ready' });
  const before = readyBefore(history);
  if (queues === null || before === null) return { title: 'ready', value, href };
  const count = queues.reduce((sum, { phases }) => sum + (phases['ready'] ?? 0), 0);
  const more = count - before.count;
  const size = Math.abs(more).toLocaleString('en');
  const change = more === 0 ? 'unchanged' : `${more > 0 ? '+' : '−'}${size}`;
  const isGrowing = more >= Math.max(GROWTH_MIN, before.count * GROWTH_SHARE);
  const level = isGrowing ? 'warn' : '';
  return { title: `ready, ${change} in ${before.minutes} min`, value, level, href };
}

function queueFigures(queues: readonly QueueJson[] | null, history: HistoryJson | null): Figure[] {
  const sumOf = (phase: string): string => {
    if (queues === null) return UNKNOWN;
    const count = queues.reduce((sum, { phases }) => sum + (phases[phase] ?? 0), 0);
    const isMore = queues.some(({ atLeast }) => atLeast.includes(phase));
    return `${count.toLocaleString('en')}${isMore ? '+' : ''}`;
  };
  const [oldest] = (queues ?? []).flatMap(({ oldestReadyAt }) => oldestReadyAt ?? []).toSorted();
  const ageMs = oldest === undefined ? 0 : Math.max(0, now.value - Date.parse(oldest));
  const age = oldest === undefined ? '–' : durationText(ageMs);
  return [
    readyFigure(queues, sumOf('ready'), history),
    {
      title: 'oldest ready',
      value: queues === null ? UNKNOWN : age,
      level: ageMs > OLD_MS ? 'warn' : '',
      href: hrefOf(['queues']),
    },
    {
      title: 'running now',
      value: sumOf('executing'),
      href: hrefOf(['jobs'], { phase: 'executing' }),
    },
  ];
}

function workerFigure(workers: readonly WorkerJson[] | null): Figure {
  const href = hrefOf(['workers']);
  if (workers === null) return { title: `workers, ${UNKNOWN} slots`, value: UNKNOWN, href };
  const { slots, workers: working, silent } = capacityOf(workers);
  return {
    title: `workers, ${slots} slots${silent === 0 ? '' : `; ${silent} silent`}`,
    value: String(working),
    level: working === 0 ? 'bad' : silent > 0 ? 'warn' : '',
    href,
  };
}

function itemsOf<Item>({ value }: Loaded<Page<Item>>): readonly Item[] | null {
  return value.value?.items ?? null;
}

/** The numbers that a glance looks for; each leads to what it counts, and loads by itself. */
export function Figures() {
  const queues = useLoaded(() => getAll<QueueJson>('./v1/queues'), [], { everyMs: 2_000 });
  const workers = useLoaded(() => getAll<WorkerJson>('./v1/workers'), [], {
    everyMs: 10_000,
  });
  const history = useLoaded(() => get<HistoryJson>('./v1/history', { step: 60 }), [], {
    everyMs: 10_000,
  });
  const figures = [
    ...flowFigures(history.value.value),
    ...queueFigures(queues.error.value === null ? itemsOf(queues) : null, history.value.value),
    workerFigure(workers.error.value === null ? itemsOf(workers) : null),
  ];
  return (
    <div class="figures">
      {figures.map(({ title, value, level = '', href }) => (
        <a class={`figure ${level}`} key={href} href={href}>
          <b title={value === UNKNOWN ? 'unknown' : undefined}>{value}</b>
          <span class="quiet">{title}</span>
        </a>
      ))}
    </div>
  );
}
