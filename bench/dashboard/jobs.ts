// The jobs of the benchmark: many short ones, and one that has much to say.
import { setTimeout as pause } from 'node:timers/promises';
import { defineJob } from 'pawl/internal/handler/define-job';
import { typed } from 'pawl/internal/handler/schema';
import { distributed } from 'pawl/internal/lifecycles/distributed';

/** Created, claimed, started, succeeded: four events. */
export const blink = defineJob('blink', {
  lifecycle: distributed,
  input: typed<object>(),
  run: () => null,
});

interface Chat {
  readonly linesPerSecond: number;
}

const EVERY_MS = 50;

/** Writes lines into its log until it is told to stop. */
export const chat = defineJob('chat', {
  input: typed<Chat>(),
  lease: { ttl: '10s', heartbeat: '1s' },
  async run({ input, log, signal }) {
    const lines = Math.ceil((input.linesPerSecond * EVERY_MS) / 1_000);
    for (let round = 0; !signal.aborted; round++) {
      for (let line = 0; line < lines; line++) log(`line ${round * lines + line} of many`);
      await pause(EVERY_MS, undefined, { signal });
    }
  },
});
