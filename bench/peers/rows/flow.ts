import {
  capMsOf,
  Cast,
  drainedAs,
  isOneProcess,
  jobsOf,
  type Readings,
  type Scene,
} from '../scene.ts';
import { nowMs } from '../wire.ts';
import { untilDrained } from './drain.ts';

const BATCH = 100;
const SHARE = 0.4;

/** A producer in batches of 100 and one worker process, both at once, until all jobs have ended. */
export async function playFlow(scene: Scene): Promise<Readings> {
  const jobs = Math.ceil(jobsOf(scene) * SHARE);
  const cast = new Cast(scene);
  try {
    const worker = await cast.open();
    const producer = isOneProcess(scene.contender) ? worker : await cast.open();
    await worker.ask('work', { failsEvery: null });
    const began = nowMs();
    await producer.ask('enqueueAll', { jobs, batch: BATCH, keys: 0 });
    const capMs = capMsOf(scene);
    const drained = await untilDrained(
      { counter: producer, workers: [worker], jobs, capMs, failsEvery: null },
      began,
    );
    return drainedAs('produce and drain', drained);
  } finally {
    await cast.close();
  }
}
