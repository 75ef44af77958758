import { setTimeout as sleep } from 'node:timers/promises';
import { expectAll } from '../../core/contender.ts';
import type { Meter } from '../grounds.ts';
import {
  capMsOf,
  Cast,
  drainedAs,
  isOneProcess,
  jobsOf,
  rateOf,
  type Readings,
  type Scene,
} from '../scene.ts';
import type { Station } from '../station.ts';
import { nowMs, type Timed, type Usage } from '../wire.ts';

const BATCH = 1_000;
const LOOK_MS = 3;

/** All jobs are there before one worker process begins; what a job's whole life costs. */
export async function playDrain(scene: Scene): Promise<Readings> {
  const jobs = jobsOf(scene);
  const before = await scene.plot.meter();
  const { filled, drained, usages } = await fillAndDrain(scene, jobs, 1);
  // Only now: a database counts the rows of a connection when that is closed.
  const after = await scene.plot.meter();
  // Costs of jobs that were never done would look small.
  const lifeMs = filled.ms / filled.jobs + drained.ms / drained.jobs;
  const values = {
    'enqueue by 1,000': rateOf(filled),
    'drain, 1 process': rateOf(drained),
    'full life': 1_000 / lifeMs,
    'worker CPU': usages[0]!.cpuMicros / drained.jobs,
    'worker RSS': usages[0]!.rssBytes / 2 ** 20,
    ...(drained.isCapped ? {} : costOf(before, after, jobs)),
  };
  const capped = drained.isCapped ? ['drain, 1 process', 'full life', 'worker CPU'] : [];
  return { values, capped };
}

/** The same with two worker processes. */
export async function playDrainOfTwo(scene: Scene): Promise<Readings> {
  const { drained } = await fillAndDrain(scene, jobsOf(scene), 2);
  return drainedAs('drain, 2 processes', drained);
}

async function fillAndDrain(
  scene: Scene,
  jobs: number,
  processes: number,
): Promise<{ filled: Timed; drained: Drained; usages: Usage[] }> {
  const cast = new Cast(scene);
  try {
    const producer = await cast.open();
    const filled = await producer.ask('enqueueAll', { jobs, batch: BATCH, keys: 0 });
    await scene.plot.settle();
    // The file is given up before a process of its own takes it over.
    if (isOneProcess(scene.contender)) await cast.close();
    const workers: Station[] = [];
    while (workers.length < processes) workers.push(await cast.open());
    const counter = isOneProcess(scene.contender) ? workers[0]! : producer;
    const capMs = capMsOf(scene);
    const drained = await drain({ counter, workers, jobs, capMs, failsEvery: null });
    const usages = await Promise.all(workers.map((worker) => worker.ask('usage', undefined)));
    return { filled, drained, usages };
  } finally {
    await cast.close();
  }
}

/** A job's share of what the server has done; of nothing where the server cannot tell. */
function costOf(before: Meter, after: Meter, jobs: number): Record<string, number> {
  const cost: Record<string, number> = {};
  const add = (name: string, of: keyof Meter): void => {
    const [from, to] = [before[of], after[of]];
    if (from !== null && to !== null) cost[name] = (to - from) / jobs;
  };
  add('log bytes', 'logBytes');
  add('rows written', 'rowsWritten');
  add('server CPU', 'cpuMicros');
  if (after.rssBytes !== null) cost['server RSS'] = after.rssBytes / 2 ** 20;
  return cost;
}

export interface Drain {
  readonly counter: Station;
  readonly workers: readonly Station[];
  readonly jobs: number;
  readonly capMs: number;
  /** Each so manieth job fails once. */
  readonly failsEvery: number | null;
}

export interface Drained extends Timed {
  readonly isCapped: boolean;
}

/** From the word to begin until the database holds no job that has not ended. */
export async function drain(given: Drain): Promise<Drained> {
  const { workers, failsEvery } = given;
  const began = nowMs();
  await Promise.all(workers.map((worker) => worker.ask('work', { failsEvery })));
  return untilDrained(given, began);
}

/** Nobody is asked before every handler has been called: counting costs the database something. */
export async function untilDrained(given: Drain, began: number): Promise<Drained> {
  const { counter, workers, jobs, capMs, failsEvery } = given;
  const calls = jobs + (failsEvery === null ? 0 : Math.ceil(jobs / failsEvery));
  for (;;) {
    const handled = workers.reduce((sum, worker) => sum + worker.handled, 0);
    const isLate = nowMs() - began > capMs;
    if (handled >= calls || isLate) {
      const left = await counter.ask('left', undefined);
      const ms = nowMs() - began;
      // A benchmark that did not do its work would be fast.
      if (left === 0) expectAll(await callsOf(workers), calls, 'calls of the handler');
      if (left === 0) return { jobs, ms, isCapped: false };
      if (isLate) return { jobs: jobs - left, ms, isCapped: true };
    }
    await sleep(LOOK_MS);
  }
}

async function callsOf(workers: readonly Station[]): Promise<number> {
  const usages = await Promise.all(workers.map((worker) => worker.ask('usage', undefined)));
  return usages.reduce((sum, { handled }) => sum + handled, 0);
}
