import { durationText } from '../../../../pawl/src/cli/terminal/words.ts';
import type { HistoryJson } from '../../../../pawl/src/contract/history.ts';
import { get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { ProblemBox } from '../../parts/notice.tsx';
import { type Series, TimeChart } from '../../parts/time-chart.tsx';
import { go, hrefOf } from '../../route.ts';
import { chosenRange, type Range } from './ranges.tsx';

type Name = keyof HistoryJson['series'];

interface Plan {
  readonly title: string;
  readonly label: string;
  readonly lines: readonly {
    readonly title: string;
    readonly ink: string;
    readonly of: readonly Name[];
  }[];
  readonly isStacked?: boolean;
  readonly isTime?: boolean;
  /** Looked at once a minute, and not counted from the log. */
  readonly isLooked?: boolean;
}

const PLANS: readonly Plan[] = [
  {
    title: 'Finished jobs',
    label: 'Succeeded, failed and cancelled jobs over time',
    isStacked: true,
    lines: [
      { title: 'succeeded', ink: '--good', of: ['succeeded'] },
      { title: 'failed', ink: '--bad', of: ['failed', 'dead'] },
      { title: 'cancelled', ink: '--cancelled', of: ['cancelled'] },
    ],
  },
  {
    title: 'Enqueued and started',
    label: 'Enqueued jobs, started and retried attempts over time',
    lines: [
      { title: 'enqueued', ink: '--ready', of: ['enqueued'] },
      { title: 'attempts', ink: '--executing', of: ['started'] },
      { title: 'retried', ink: '--bad', of: ['retried'] },
    ],
  },
  {
    title: 'Ready and running',
    label: 'Ready and running jobs over time',
    isLooked: true,
    lines: [
      { title: 'ready', ink: '--ready', of: ['backlog'] },
      { title: 'running', ink: '--executing', of: ['running'] },
    ],
  },
  {
    title: 'Oldest ready job',
    label: 'How long the oldest ready job has been due',
    isLooked: true,
    isTime: true,
    lines: [{ title: 'oldest', ink: '--waiting', of: ['oldestMs'] }],
  },
  {
    title: 'Wait',
    label: 'Wait from due to start, p50 and p95',
    isTime: true,
    lines: [
      { title: 'p50', ink: '--ready', of: ['waitP50Ms'] },
      { title: 'p95', ink: '--dead', of: ['waitP95Ms'] },
    ],
  },
  {
    title: 'Duration',
    label: 'Duration of succeeded jobs, p50 and p95',
    isTime: true,
    lines: [
      { title: 'p50', ink: '--ready', of: ['durationP50Ms'] },
      { title: 'p95', ink: '--dead', of: ['durationP95Ms'] },
    ],
  },
];

/** The sum of several; not known where one of them is not. */
function valuesOf({ series, times }: HistoryJson, names: readonly Name[]): (number | null)[] {
  return times.map((_, at) => {
    const parts = names.map((name) => series[name][at] ?? null);
    return parts.includes(null) ? null : parts.reduce<number>((sum, part) => sum + part!, 0);
  });
}

function numberText(value: number): string {
  return value.toLocaleString('en');
}

function HistoryChart({ plan, history }: { readonly plan: Plan; readonly history: HistoryJson }) {
  const times = history.times.map(Date.parse);
  // Where nothing was measured because nothing happened, it is known that nothing happened.
  const isUnknown = history.series[plan.isLooked === true ? 'backlog' : 'enqueued'].map(
    (figure) => figure === null,
  );
  const series = plan.lines.map(({ title, ink, of }): Series => ({
    title,
    ink,
    values: valuesOf(history, of),
  }));
  const brush = (from: number, to: number): void => {
    const [createdFrom, createdTo] = [from, to].map((at) => new Date(at).toISOString());
    go(hrefOf(['jobs'], { createdFrom: createdFrom!, createdTo: createdTo! }));
  };
  return (
    <section class="card">
      <h2>{plan.title}</h2>
      <TimeChart
        label={plan.label}
        times={times}
        stepMs={history.stepMs}
        series={series}
        isStacked={plan.isStacked ?? false}
        isUnknown={isUnknown}
        marks={history.marks.map(({ at, version }) => ({
          at: Date.parse(at),
          title: `deployed ${version}`,
        }))}
        format={plan.isTime === true ? durationText : numberText}
        onBrush={brush}
      />
    </section>
  );
}

function readHistory({ ms, stepSeconds }: Range): Promise<HistoryJson> {
  const from = new Date(Date.now() - ms).toISOString();
  return get<HistoryJson>('./v1/history', { from, step: stepSeconds });
}

/** As long as there is no answer, and where none comes: a time of which nothing is known. */
function unknownHistory({ ms }: Range): HistoryJson {
  const now = Date.now();
  const series = Object.fromEntries(
    PLANS.flatMap(({ lines }) => lines.flatMap(({ of }) => of)).map((name) => [name, [null]]),
  ) as HistoryJson['series'];
  const from = new Date(now - ms).toISOString();
  const to = new Date(now).toISOString();
  return { from, to, stepMs: ms, since: null, readTo: null, times: [from], series, marks: [] };
}

/** What happened over the chosen range, as it is stored: not only since the page was opened. */
export function Charts() {
  const range = chosenRange();
  const { value, error } = useLoaded(() => readHistory(range), [range.name], { everyMs: 15_000 });
  // The charts have their places from the first moment on, so that nothing moves when they come.
  const history = value.value ?? unknownHistory(range);
  return (
    <section aria-label="History" class="stack">
      <div class="charts">
        {PLANS.map((plan) => (
          <HistoryChart key={plan.title} plan={plan} history={history} />
        ))}
      </div>
      {error.value !== null && <ProblemBox error={error.value} />}
      <p class="quiet">
        Drag over a chart to see the jobs created then, or see{' '}
        <a href={hrefOf(['jobs'], { createdFrom: history.from })}>all of this range</a>. Grey: no
        data. Dashed line: a deploy.
      </p>
    </section>
  );
}
