import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../harness/statistics.ts';
import type { Call, Contender, Holding } from './contender.ts';

export interface Workload {
  readonly jobs: number;
  readonly batches: readonly number[];
  /** Callers that wait for each of their single calls. */
  readonly callers: number;
  readonly latencyJobs: number;
  readonly repeats: number;
}

/** Jobs a second; microseconds of this process's CPU a job; ms until the job is in flight. */
export type Kind = 'rate' | 'cpu' | 'latency';

interface Reading {
  readonly kind: Kind;
  readonly name: string;
  readonly value: number;
}

/** One value a repeat, by what was measured, in the order of the measuring. */
export type Series = ReadonlyMap<string, readonly number[]>;

export interface Measured {
  readonly contender: Pick<Contender, 'label' | 'rows'>;
  readonly series: Readonly<Record<Kind, Series>>;
}

type Part = (contender: Contender) => Promise<Reading[]>;

/**
 * Contenders take turns after every part, so that a slow minute of a shared machine meets all of
 * them, and each repeat begins with another one. A first round is thrown away.
 */
export async function measure(
  contenders: readonly Contender[],
  workload: Workload,
  say: (text: string) => void,
): Promise<Measured[]> {
  const kept = contenders.map((contender) => {
    const series: Record<Kind, Map<string, number[]>> = {
      rate: new Map(),
      cpu: new Map(),
      latency: new Map(),
    };
    return { contender, series };
  });
  const warmUp = { ...workload, jobs: Math.ceil(workload.jobs / 10), latencyJobs: 5 };
  for (const contender of contenders) {
    for (const part of partsOf(warmUp)) await part(contender);
  }
  for (let repeat = 0; repeat < workload.repeats; repeat++) {
    say(`repeat ${repeat + 1} of ${workload.repeats}`);
    for (const part of partsOf(workload)) {
      for (let turn = 0; turn < kept.length; turn++) {
        const { contender, series } = kept[(turn + repeat) % kept.length]!;
        for (const { kind, name, value } of await part(contender)) {
          const values = series[kind].get(name);
          if (values === undefined) series[kind].set(name, [value]);
          else values.push(value);
        }
      }
    }
  }
  return kept;
}

function partsOf(workload: Workload): Part[] {
  return [
    ...workload.batches.map(
      (batch): Part =>
        (one) =>
          playLife(one, workload.jobs, batch),
    ),
    (one) => playSingles(one, workload),
    (one) => playIdle(one, workload.latencyJobs),
  ];
}

/** Enqueue all, claim all, complete all: each verb by itself, and their sum as a full life. */
async function playLife(contender: Contender, jobs: number, batch: number): Promise<Reading[]> {
  const enqueues = await enqueuesOf(contender, batchesOf(jobs, batch));
  const enqueue = await timeOf(() => oneByOne(enqueues));
  const holdings: Holding[] = [];
  const claim = await timeOf(() => claimAll(contender, { batch, jobs }, holdings));
  checkClaimed(holdings, jobs);
  const completions = await completionsOf(holdings, batch);
  const complete = await timeOf(() => oneByOne(completions));
  const cpuMicros = enqueue.cpuMicros + claim.cpuMicros + complete.cpuMicros;
  return [
    rate(`enqueue by ${batch}`, jobs, enqueue.ms),
    rate(`claim by ${batch}`, jobs, claim.ms),
    rate(`complete by ${batch}`, jobs, complete.ms),
    rate(`life by ${batch}`, jobs, enqueue.ms + claim.ms + complete.ms),
    { kind: 'cpu', name: `life by ${batch}`, value: cpuMicros / jobs },
  ];
}

/** A single call may cost a flush of the disk by itself, so fewer of them tell as much. */
const SINGLES_SHARE = 5;

/** Many callers, each waiting for its own job: what a group commit is for. */
async function playSingles(
  contender: Contender,
  { jobs, callers, batches }: Workload,
): Promise<Reading[]> {
  const singles = Math.ceil(jobs / SINGLES_SHARE);
  const enqueues = await enqueuesOf(contender, Array(singles).fill(1));
  const enqueue = await timeOf(() => atOnce(enqueues, callers));
  const holdings: Holding[] = [];
  await claimAll(contender, { batch: batches.at(-1)!, jobs: singles }, holdings);
  checkClaimed(holdings, singles);
  const completions = await completionsOf(holdings, 1);
  const complete = await timeOf(() => atOnce(completions, callers));
  return [
    rate(`enqueue 1, ${callers} callers`, singles, enqueue.ms),
    rate(`complete 1, ${callers} callers`, singles, complete.ms),
  ];
}

/** With nothing else to do: from before the enqueue until the job is in flight. */
async function playIdle(contender: Contender, jobs: number): Promise<Reading[]> {
  const times: number[] = [];
  for (let job = 0; job < jobs; job++) {
    const enqueue = await contender.enqueue(1);
    await sleep(2);
    let holding: Holding | undefined;
    const { ms } = await timeOf(async () => {
      await enqueue();
      holding = await contender.claim(1);
    });
    times.push(ms);
    await oneByOne(await holding!.completions(1));
  }
  return [50, 95, 99].map((percent) => {
    return { kind: 'latency', name: `p${percent}`, value: percentile(times, percent) };
  });
}

async function enqueuesOf(contender: Contender, sizes: readonly number[]): Promise<Call[]> {
  const calls: Call[] = [];
  for (const size of sizes) calls.push(await contender.enqueue(size));
  return calls;
}

async function completionsOf(holdings: readonly Holding[], batch: number): Promise<Call[]> {
  const calls: Call[] = [];
  for (const holding of holdings) calls.push(...(await holding.completions(batch)));
  return calls;
}

/** Until there are no more; who claims more than there were would go on for ever. */
async function claimAll(
  contender: Contender,
  { batch, jobs }: { batch: number; jobs: number },
  holdings: Holding[],
): Promise<void> {
  for (let claimed = 0; claimed <= jobs;) {
    const holding = await contender.claim(batch);
    if (holding.size === 0) return;
    holdings.push(holding);
    claimed += holding.size;
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

async function timeOf(work: () => Promise<void>): Promise<{ ms: number; cpuMicros: number }> {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - startedAt, cpuMicros: user + system };
}

function rate(name: string, jobs: number, ms: number): Reading {
  return { kind: 'rate', name, value: (jobs * 1_000) / ms };
}
