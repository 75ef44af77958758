import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../../harness/statistics.ts';
import { Cast, isOneProcess, type Readings, type Scene } from '../scene.ts';
import type { Station } from '../station.ts';
import { nowMs } from '../wire.ts';

const LOOK_MS = 1;
const WARM_UP_JOBS = 50;
/** A pause of some length, so that nothing falls into step with a poll. */
const PAUSE_MS_MAX = 10;
const PACE_MS = 2;
/** So many times as long as single calls are made. */
const LOAD_SHARE = 3;
/** Long enough for two polls of the slowest. */
const IDLE_MS_MAX = 4_500;

interface Pair {
  readonly producer: Station;
  readonly worker: Station;
}

/** With nothing else to do: from just before the enqueue until the handler begins. */
export async function playLatency(scene: Scene): Promise<Readings> {
  return withPair(scene, async (pair) => {
    const moments: number[] = [];
    const began = nowMs();
    const wanted = scene.sizes.latencyJobs + WARM_UP_JOBS;
    while (moments.length < wanted && nowMs() - began < IDLE_MS_MAX) {
      await sleep(Math.random() * PAUSE_MS_MAX);
      moments.push(await pair.producer.ask('enqueueOne', moments.length));
      await untilHandled(pair.worker, moments.length, IDLE_MS_MAX * 2);
    }
    const isCapped = moments.length < wanted;
    // A slow one has few; they are all that is known of it.
    const dropped = isCapped ? 0 : WARM_UP_JOBS;
    const times = (await waits(pair.worker, moments)).slice(dropped);
    return percentiles('latency at idle', times, isCapped);
  });
}

/** The same while 500 jobs a second come in, whatever has become of the ones before. */
export async function playLoad(scene: Scene): Promise<Readings> {
  return withPair(scene, async ({ producer, worker }) => {
    const jobs = Math.ceil((scene.sizes.singlesMs * LOAD_SHARE) / PACE_MS);
    const moments = await producer.ask('enqueueAtPace', { jobs, gapMs: PACE_MS });
    const isThrough = await untilHandled(worker, jobs, scene.sizes.capMs / 2);
    const times = await waits(worker, moments);
    return percentiles('latency at 500/s', times, !isThrough);
  });
}

async function withPair(scene: Scene, play: (pair: Pair) => Promise<Readings>): Promise<Readings> {
  const cast = new Cast(scene);
  try {
    const worker = await cast.open();
    const producer = isOneProcess(scene.contender) ? worker : await cast.open();
    await worker.ask('work', { failsEvery: null });
    return await play({ producer, worker });
  } finally {
    await cast.close();
  }
}

async function untilHandled(worker: Station, count: number, msMax: number): Promise<boolean> {
  const began = nowMs();
  while (worker.handled < count) {
    if (nowMs() - began > msMax) return false;
    await sleep(LOOK_MS);
  }
  return true;
}

async function waits(worker: Station, moments: readonly number[]): Promise<number[]> {
  const starts = await worker.ask('starts', moments.length);
  return moments.map((at, page) => starts[page]! - at).filter((ms) => !Number.isNaN(ms));
}

function percentiles(name: string, times: readonly number[], isCapped: boolean): Readings {
  const values = Object.fromEntries(
    (times.length === 0 ? [] : [50, 95, 99]).map((percent) => [
      `${name}, p${percent}`,
      percentile(times, percent),
    ]),
  );
  return { values, capped: isCapped ? Object.keys(values) : [] };
}
