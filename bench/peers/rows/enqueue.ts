import { Cast, rateOf, type Readings, type Scene } from '../scene.ts';

const CALLERS = 64;

/** One caller, then many: each waits for its own job before it makes the next. */
export async function playEnqueue(scene: Scene): Promise<Readings> {
  const cast = new Cast(scene);
  try {
    const producer = await cast.open();
    const ms = scene.sizes.singlesMs;
    await producer.ask('enqueueFor', { ms: ms / 5, callers: CALLERS });
    const one = await producer.ask('enqueueFor', { ms, callers: 1 });
    const many = await producer.ask('enqueueFor', { ms, callers: CALLERS });
    const values = { 'enqueue, 1 caller': rateOf(one), 'enqueue, 64 callers': rateOf(many) };
    return { values, capped: [] };
  } finally {
    await cast.close();
  }
}
