import { setTimeout as sleep } from 'node:timers/promises';
import type { Call, Contender, Holding } from './contender.ts';

export interface Workload {
  readonly jobs: number;
  readonly batches: readonly number[];
  /** Callers that wait for each of their single calls. */
  readonly callers: number;
  readonly latencyJobs: number;
  readonly repeats: number;
}

/** What was measured, in jobs a second or milliseconds, one value a repeat. */
export type Series = Map<string, number[]>;

export interface Measured {
  readonly contender: Pick<Contender, 'label' | 'rows'>;
  readonly rates: Series;
  readonly latencies: Series;
}

/** The contenders take turns, each repeat beginning with another one; a first round is thrown away. */
export async function measure(
  contenders: readonly Contender[],
  workload: Workload,
  say: (text: string) => void,
): Promise<Measured[]> {
  const measured: Measured[] = contenders.map((contender) => ({
    contender,
    rates: new Map(),
    latencies: new Map(),
  }));
  const warmUp = { ...workload, jobs: Math.ceil(workload.jobs / 10), latencyJobs: 5 };
  for (const contender of contenders) {
    say(`warming up: ${contender.label}, ${contender.rows} rows`);
    await play(contender, warmUp);
  }
  for (let repeat = 0; repeat < workload.repeats; repeat++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const index = (turn + repeat) % contenders.length;
      const contender = contenders[index]!;
      say(`repeat ${repeat + 1}: ${contender.label}, ${contender.rows} rows`);
      const { rates, latencies } = await play(contender, workload);
      for (const [name, value] of rates) add(measured[index]!.rates, name, value);
      for (const [name, value] of latencies) add(measured[index]!.latencies, name, value);
    }
  }
  return measured;
}

function add(series: Series, name: string, value: number): void {
  const values = series.get(name);
  if (values === undefined) series.set(name, [value]);
  else values.push(value);
}

interface Played {
  readonly rates: Map<string, number>;
  readonly latencies: Map<string, number>;
}

async function play(contender: Contender, workload: Workload): Promise<Played> {
  const rates = new Map<string, number>();
  for (const batch of workload.batches) await playLife(contender, { ...workload, batch }, rates);
  await playSingles(contender, workload, rates);
  return { rates, latencies: await playIdle(contender, workload.latencyJobs) };
}

/** Enqueue all, claim all, complete all: each verb by itself, and their sum as a full life. */
async function playLife(
  contender: Contender,
  { jobs, batch }: { jobs: number; batch: number },
  rates: Map<string, number>,
): Promise<void> {
  const enqueues = batchesOf(jobs, batch).map((size) => contender.enqueue(size));
  const enqueueMs = await timeOf(() => oneByOne(enqueues));
  const holdings: Holding[] = [];
  const claimMs = await timeOf(() => claimAll(contender, batch, holdings));
  checkClaimed(holdings, jobs);
  const completions = holdings.flatMap((holding) => holding.completions(batch));
  const completeMs = await timeOf(() => oneByOne(completions));
  rates.set(`enqueue by ${batch}`, perSecond(jobs, enqueueMs));
  rates.set(`claim by ${batch}`, perSecond(jobs, claimMs));
  rates.set(`complete by ${batch}`, perSecond(jobs, completeMs));
  rates.set(`life by ${batch}`, perSecond(jobs, enqueueMs + claimMs + completeMs));
}

/** Many callers, each waiting for its own job: what a group commit is for. */
async function playSingles(
  contender: Contender,
  { jobs, callers, batches }: Workload,
  rates: Map<string, number>,
): Promise<void> {
  const enqueues = Array.from({ length: jobs }, () => contender.enqueue(1));
  const enqueueMs = await timeOf(() => atOnce(enqueues, callers));
  const holdings: Holding[] = [];
  await claimAll(contender, batches.at(-1)!, holdings);
  checkClaimed(holdings, jobs);
  const completions = holdings.flatMap((holding) => holding.completions(1));
  const completeMs = await timeOf(() => atOnce(completions, callers));
  rates.set(`enqueue 1, ${callers} callers`, perSecond(jobs, enqueueMs));
  rates.set(`complete 1, ${callers} callers`, perSecond(jobs, completeMs));
}

/** With nothing else to do: from before the enqueue until the job is in hand, in milliseconds. */
async function playIdle(contender: Contender, jobs: number): Promise<Map<string, number>> {
  const times: number[] = [];
  for (let job = 0; job < jobs; job++) {
    const enqueue = contender.enqueue(1);
    await sleep(2);
    let holding: Holding | undefined;
    times.push(
      await timeOf(async () => {
        await enqueue();
        holding = await contender.claim(1);
      }),
    );
    await oneByOne(holding!.completions(1));
  }
  const sorted = times.toSorted((one, other) => one - other);
  return new Map([50, 95, 99].map((percent) => [`p${percent}`, percentile(sorted, percent)]));
}

async function claimAll(contender: Contender, batch: number, holdings: Holding[]): Promise<void> {
  for (;;) {
    const holding = await contender.claim(batch);
    if (holding.size === 0) return;
    holdings.push(holding);
  }
}

function checkClaimed(holdings: readonly Holding[], jobs: number): void {
  const claimed = holdings.reduce((sum, { size }) => sum + size, 0);
  if (claimed !== jobs) throw new Error(`claimed ${claimed} of ${jobs}`);
}

function batchesOf(jobs: number, batch: number): number[] {
  const sizes = Array.from({ length: Math.floor(jobs / batch) }, () => batch);
  return jobs % batch === 0 ? sizes : [...sizes, jobs % batch];
}

async function oneByOne(calls: readonly Call[]): Promise<void> {
  for (const call of calls) await call();
}

async function atOnce(calls: readonly Call[], callers: number): Promise<void> {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < calls.length) await calls[next++]!();
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function perSecond(jobs: number, ms: number): number {
  return (jobs * 1_000) / ms;
}

function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)]!;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  if (Number.isInteger(middle)) return (sorted[middle - 1]! + sorted[middle]!) / 2;
  return sorted[Math.floor(middle)]!;
}
