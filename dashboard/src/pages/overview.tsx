import type { Page } from '../page.ts';
import type { JobJson } from '../../../src/http/schema/job.ts';
import type { QueueJson } from '../../../src/http/schema/queue.ts';
import { durationText } from '../../../src/cli/terminal/words.ts';
import { recent, type Second, seconds } from '../activity.ts';
import { get } from '../api.ts';
import { useLoaded } from '../load.ts';
import { now } from '../now.ts';
import { Ago } from '../parts/ago.tsx';
import { Chart } from '../parts/chart.tsx';
import { JobLink } from '../parts/job-link.tsx';
import { Empty, ProblemBox } from '../parts/notice.tsx';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { StateChip } from '../parts/state-chip.tsx';
import { hrefOf } from '../route.ts';

const LINES = [
  { title: 'accepted', ink: '--ready' },
  { title: 'succeeded', ink: '--good' },
  { title: 'failed', ink: '--bad' },
];

function sumOf(rows: readonly Second[], part: 'created' | 'succeeded' | 'failed'): number {
  return rows.reduce((sum, row) => sum + row[part], 0);
}

function Figures({ queues }: { readonly queues: readonly QueueJson[] }) {
  const minute = seconds.value.slice(-60);
  const done = sumOf(minute, 'succeeded');
  const failed = sumOf(minute, 'failed');
  const ready = queues.reduce((sum, { depth }) => sum + depth, 0);
  const inHand = queues.reduce(
    (sum, { phases }) => sum + (phases['leased'] ?? 0) + (phases['executing'] ?? 0),
    0,
  );
  const oldest = queues.flatMap(({ oldestReadyAt }) => oldestReadyAt ?? []).toSorted()[0];
  const share = done + failed === 0 ? 0 : failed / (done + failed);
  const figures: [string, string, string][] = [
    ['finished a minute', String(done), ''],
    ['failing', `${Math.round(share * 100)} %`, share > 0.1 ? 'bad' : ''],
    ['ready', String(ready), ''],
    ['running now', String(inHand), ''],
    [
      'oldest ready',
      oldest === undefined ? '–' : durationText(Math.max(0, now.value - Date.parse(oldest))),
      oldest !== undefined && now.value - Date.parse(oldest) > 60_000 ? 'warn' : '',
    ],
  ];
  return (
    <div class="figures">
      {figures.map(([title, value, level]) => (
        <div class={`figure ${level}`} key={title}>
          <b>{value}</b>
          <span class="quiet">{title}</span>
        </div>
      ))}
    </div>
  );
}

function problemsOf(queues: readonly QueueJson[]): string[] {
  return queues.flatMap(({ name, isPaused, isShedding, reason }) => {
    const why = reason === null ? '' : `: ${reason}`;
    if (isPaused) return [`The queue ${name} is paused${why}`];
    return isShedding ? [`The queue ${name} is full and refuses new jobs${why}`] : [];
  });
}

function Running({ jobs }: { readonly jobs: readonly JobJson[] }) {
  if (jobs.length === 0) return <Empty title="Nothing is running" />;
  return (
    <div class="scroll">
      <table>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.id}>
              <td>
                <JobLink id={job.id} />
              </td>
              <td>{job.type}</td>
              <td>
                <StateChip job={job} />
              </td>
              <td style={{ width: '35%' }}>
                <ProgressBar progress={job.progress} phase={job.phase} />
              </td>
              <td class="quiet">{job.stage}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Recent() {
  if (recent.value.length === 0) {
    return (
      <Empty title="Quiet so far">
        Try{' '}
        <code>
          pawl enqueue greet --input '{'{'}"names":["Ada"]{'}'}'
        </code>
      </Empty>
    );
  }
  return (
    <ul class="note-list">
      {recent.value.slice(0, 12).map((event) => (
        <li key={event.id}>
          <Ago time={event.timestamp} />
          <JobLink id={event.jobId} />
          <span>
            {event.type.replace('job_', '').replaceAll('_', ' ')} → {event.to}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** How the platform is doing, problems first. */
export function OverviewPage() {
  const queues = useLoaded(() => get<Page<QueueJson>>('./v1/queues'), [], { everyMs: 2_000 });
  const running = useLoaded(
    () => get<Page<JobJson>>('./v1/jobs', { phase: 'executing', limit: 8 }),
    [],
    { everyMs: 2_000 },
  );
  const rows = seconds.value;
  const problems = problemsOf(queues.value.value?.items ?? []);
  return (
    <>
      <div class="head">
        <h1>Overview</h1>
        <a href={hrefOf(['jobs'], { phase: 'failed' })}>recent failures</a>
      </div>
      {queues.error.value !== null && <ProblemBox error={queues.error.value} />}
      {problems.map((problem) => (
        <div class="problem" key={problem}>
          {problem}
        </div>
      ))}
      <Figures queues={queues.value.value?.items ?? []} />
      <div class="grid">
        <section class="card wide">
          <h2>Throughput, jobs a second</h2>
          <Chart
            label="Jobs accepted, succeeded and failed a second over the last minutes"
            lines={LINES}
            times={rows.map(({ at }) => at)}
            values={[
              rows.map(({ created }) => created),
              rows.map(({ succeeded }) => succeeded),
              rows.map(({ failed }) => failed),
            ]}
          />
        </section>
        <section class="card">
          <h2>Running now</h2>
          <Running jobs={running.value.value?.items ?? []} />
        </section>
        <section class="card">
          <h2>Just happened</h2>
          <Recent />
        </section>
      </div>
    </>
  );
}
