import type { Timers } from 'pawl/define';
import { refuse } from './refusal.ts';

export interface StallLimit {
  readonly stallMs: number;
  readonly timers: Timers;
}

/** The same chunks; an error where the next one takes longer than any may. */
export async function* unstalled(
  chunks: AsyncIterable<Uint8Array>,
  { stallMs, timers }: StallLimit,
): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]();
  for (;;) {
    const arrived = new AbortController();
    const next = source.next().finally(() => arrived.abort());
    const isLate = timers.sleep(stallMs, arrived.signal).then(() => !arrived.signal.aborted);
    // What comes after a stall is for nobody.
    next.catch(() => undefined);
    if (await isLate) {
      throw refuse('AI_STALLED', `the model’s server sent nothing for ${stallMs} ms`);
    }
    const { done, value } = await next;
    if (done === true) return;
    yield value;
  }
}
