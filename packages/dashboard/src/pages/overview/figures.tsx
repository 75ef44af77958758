import { durationText } from '../../../../pawl/src/cli/terminal/words.ts';
import type { QueueJson } from '../../../../pawl/src/contract/queue.ts';
import type { WorkerJson } from '../../../../pawl/src/contract/worker-sign.ts';
import { type Second, seconds } from '../../activity.ts';
import { now } from '../../now.ts';
import { hrefOf } from '../../route.ts';

interface Figure {
  readonly title: string;
  readonly value: string;
  readonly level?: 'bad' | 'warn' | '';
  readonly href: string;
}

const FAILING_SHARE = 0.1;
const OLD_MS = 60_000;

function sumOf(rows: readonly Second[], part: 'created' | 'succeeded' | 'failed'): number {
  return rows.reduce((sum, row) => sum + row[part], 0);
}

function flowFigures(): Figure[] {
  const minute = seconds.value.slice(-60);
  const done = sumOf(minute, 'succeeded');
  const failed = sumOf(minute, 'failed');
  const share = done + failed === 0 ? 0 : failed / (done + failed);
  return [
    {
      title: 'finished a minute',
      value: String(done),
      href: hrefOf(['jobs'], { phase: 'succeeded' }),
    },
    {
      title: 'of them failing',
      value: `${Math.round(share * 100)} %`,
      level: share > FAILING_SHARE ? 'bad' : '',
      href: hrefOf(['jobs'], { phase: 'failed' }),
    },
  ];
}

function queueFigures(queues: readonly QueueJson[]): Figure[] {
  const ready = queues.reduce((sum, { depth }) => sum + depth, 0);
  const isMore = queues.some(({ atLeast }) => atLeast.includes('ready'));
  const inFlight = queues.reduce(
    (sum, { phases }) => sum + (phases['leased'] ?? 0) + (phases['executing'] ?? 0),
    0,
  );
  const [oldest] = queues.flatMap(({ oldestReadyAt }) => oldestReadyAt ?? []).toSorted();
  const ageMs = oldest === undefined ? 0 : Math.max(0, now.value - Date.parse(oldest));
  return [
    {
      title: 'ready',
      value: `${ready}${isMore ? '+' : ''}`,
      href: hrefOf(['jobs'], { phase: 'ready' }),
    },
    {
      title: 'oldest ready',
      value: oldest === undefined ? '–' : durationText(ageMs),
      level: ageMs > OLD_MS ? 'warn' : '',
      href: hrefOf(['queues']),
    },
    {
      title: 'running now',
      value: String(inFlight),
      href: hrefOf(['jobs'], { phase: 'executing' }),
    },
  ];
}

function workerFigure(workers: readonly WorkerJson[]): Figure {
  const slots = workers.reduce((sum, worker) => sum + (worker.slots ?? 0), 0);
  const isSilent = workers.some(({ state }) => state === 'silent');
  return {
    title: `workers, ${slots} slots`,
    value: String(workers.length),
    level: workers.length === 0 ? 'bad' : isSilent ? 'warn' : '',
    href: hrefOf(['workers']),
  };
}

interface Given {
  readonly queues: readonly QueueJson[];
  readonly workers: readonly WorkerJson[] | null;
}

/** The numbers that a glance looks for; each leads to what it counts. */
export function Figures({ queues, workers }: Given) {
  const figures = [
    ...flowFigures(),
    ...queueFigures(queues),
    ...(workers === null ? [] : [workerFigure(workers)]),
  ];
  return (
    <div class="figures">
      {figures.map(({ title, value, level = '', href }) => (
        <a class={`figure ${level}`} key={title} href={href}>
          <b>{value}</b>
          <span class="quiet">{title}</span>
        </a>
      ))}
    </div>
  );
}
