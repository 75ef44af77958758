import type { Command } from 'commander';
import {
  barText,
  durationText,
  type Given,
  LiveLines,
  onServer,
  type Session,
  UsageError,
} from 'pawl/cli';
import { addBenchStudio } from './bench-studio-command.ts';
import { requireWrite, WRITE } from './bench-write.ts';

interface BenchOptions {
  readonly jobs: string;
  readonly callers: string;
  readonly write?: true;
}

/** What one part of the run has measured. */
interface Row {
  readonly what: string;
  readonly perSecond: number;
  readonly times: readonly number[];
}

const TYPE = 'pawl-bench';
const BATCH = 500;
const BAR_CELLS = 30;

/** The time within which so large a share of the requests was answered. */
export function quantileOf(times: readonly number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** Calls one after the other in so many lines at once, each timed. */
async function timed(
  { count, callers }: { count: number; callers: number },
  call: (at: number) => Promise<unknown>,
): Promise<{ seconds: number; times: number[] }> {
  const times: number[] = [];
  let next = 0;
  const start = performance.now();
  const line = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) {
      const from = performance.now();
      await call(at);
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: callers }, line));
  return { seconds: (performance.now() - start) / 1_000, times };
}

async function enqueueOneByOne({ client }: Session, count: number, callers: number): Promise<Row> {
  const { seconds, times } = await timed({ count, callers }, (n) =>
    client.enqueue({ type: TYPE, input: { n } }),
  );
  return { what: `enqueue, ${callers} at once`, perSecond: count / seconds, times };
}

async function enqueueBatches({ client }: Session, count: number): Promise<Row> {
  const batches = Math.ceil(count / BATCH);
  const { seconds, times } = await timed({ count: batches, callers: 1 }, () =>
    client.enqueueMany(Array.from({ length: BATCH }, (_, n) => ({ type: TYPE, input: { n } }))),
  );
  return {
    what: `enqueue, batches of ${BATCH}`,
    perSecond: (batches * BATCH) / seconds,
    times,
  };
}

/** Takes and completes everything that waits, over the worker protocol. */
async function drain(session: Session, count: number, callers: number): Promise<Row> {
  const { screen } = session;
  const live = new LiveLines(screen);
  const times: number[] = [];
  let done = 0;
  const start = performance.now();
  const line = async (_: unknown, at: number): Promise<void> => {
    const workerId = `pawl-bench-${process.pid}-${at}`;
    for (;;) {
      const { jobs } = await session.call<{ jobs: { job: { id: string }; epoch: number }[] }>({
        method: 'POST',
        path: '/v1/claims',
        body: { workerId, types: [TYPE], max: 10 },
      });
      if (jobs.length === 0) return;
      await Promise.all(
        jobs.map(async ({ job, epoch }) => {
          const from = performance.now();
          await session.call({
            method: 'POST',
            path: `/v1/jobs/${job.id}/complete`,
            body: { workerId, epoch },
          });
          times.push(performance.now() - from);
          done += 1;
        }),
      );
      if (screen.isLive) live.draw([`${barText(done / count, BAR_CELLS)} ${done} of ${count}`]);
    }
  };
  await Promise.all(Array.from({ length: callers }, line));
  const seconds = (performance.now() - start) / 1_000;
  return { what: `claim and complete, ${callers} workers`, perSecond: done / seconds, times };
}

function tell({ screen }: Session, { what, perSecond, times }: Row): void {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => quantileOf(times, share));
  if (screen.isJson) return screen.json({ what, perSecond, p50Ms: p50, p95Ms: p95, p99Ms: p99 });
  const rate = `${Math.round(perSecond)} jobs/s`.padStart(14);
  const quantiles = [p50, p95, p99].map((ms) => durationText(ms ?? 0)).join(' / ');
  screen.data(`${what.padEnd(34)}${rate}   p50/p95/p99 of a call ${quantiles}`);
}

async function run(session: Session, { options }: Given<BenchOptions>): Promise<void> {
  const [count, callers] = [Number(options.jobs), Number(options.callers)];
  if (!(Number.isInteger(count) && count > 0 && Number.isInteger(callers) && callers > 0)) {
    throw new UsageError('--jobs and --callers take whole numbers');
  }
  const jobs = count + Math.ceil(count / BATCH) * BATCH;
  requireWrite(session, options, `makes ${jobs} jobs of type "${TYPE}", which stay in its lists`);
  await session.client.putType(TYPE, { lifecycle: 'task' });
  tell(session, await enqueueOneByOne(session, count, callers));
  tell(session, await enqueueBatches(session, count));
  tell(session, await drain(session, jobs, callers));
  session.screen.talk('Over HTTP, from this terminal: figures of this machine and this moment.');
}

/** `pawl bench …`. */
export function addBench(program: Command): void {
  const bench = program.command('bench').description('benchmark the running server');
  bench
    .command('server', { isDefault: true })
    .description('measure enqueue, claim and complete over HTTP')
    .option('--jobs <count>', 'number of jobs per measurement', '2000')
    .option('--callers <count>', 'number of concurrent callers', '16')
    .option('--write', WRITE)
    .action(onServer(run));
  addBenchStudio(bench);
}
