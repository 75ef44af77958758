// A slow job to watch, to kill and to see recover:
//   bin/pawl worker --jobs examples/quick-start/count.ts
import { setTimeout as pause } from 'node:timers/promises';
import { defineJob, typed } from 'pawl';

export const count = defineJob('count', {
  input: typed<{ to: number }>(),
  lease: { ttl: '10s', heartbeat: '2s' },
  async run({ input, stage, signal }) {
    return stage('counting', { from: 0 }, async ({ from, checkpoint, progress }) => {
      for (let n = from + 1; n <= input.to; n++) {
        await pause(500, undefined, { signal });
        await checkpoint(n);
        progress(n / input.to, `${n} of ${input.to}`);
      }
      return `counted to ${input.to}`;
    });
  },
});
