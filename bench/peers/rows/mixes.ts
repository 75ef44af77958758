import type { Rules } from '../product.ts';
import {
  capMsOf,
  Cast,
  drainedAs,
  isOneProcess,
  jobsOf,
  PLAIN,
  type Readings,
  type Scene,
} from '../scene.ts';
import { drain, type Drained } from './drain.ts';

const BATCH = 1_000;
const SHARE = 0.2;
const FAILS_EVERY = 5;
const KEYS = 100;

/** Every fifth job fails at its first attempt; retries come as soon as the product allows. */
export async function playRetries(scene: Scene): Promise<Readings> {
  const mix = { rules: { ...PLAIN, isRetried: true }, keys: 0, failsEvery: FAILS_EVERY };
  const drained = await playMix(scene, mix);
  return drainedAs('drain, 20 % fail once', drained);
}

/** A hundred keys, and never two jobs of one key at a time. */
export async function playKeys(scene: Scene): Promise<Readings> {
  const mix = { rules: { ...PLAIN, isKeyed: true }, keys: KEYS, failsEvery: null };
  const drained = await playMix(scene, mix);
  return drainedAs('drain, one a key', drained);
}

interface Mix {
  readonly rules: Rules;
  readonly keys: number;
  readonly failsEvery: number | null;
}

async function playMix(scene: Scene, { rules, keys, failsEvery }: Mix): Promise<Drained> {
  const jobs = Math.ceil(jobsOf(scene) * SHARE);
  const cast = new Cast(scene, rules);
  try {
    const producer = await cast.open();
    await producer.ask('enqueueAll', { jobs, batch: BATCH, keys });
    await scene.plot.settle();
    if (isOneProcess(scene.contender)) await cast.close();
    const worker = await cast.open();
    const counter = isOneProcess(scene.contender) ? worker : producer;
    const capMs = capMsOf(scene);
    return await drain({ counter, workers: [worker], jobs, capMs, failsEvery });
  } finally {
    await cast.close();
  }
}
