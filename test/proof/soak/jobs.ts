// The jobs of a soak: quick ones, some that try again, some that fail, some with much to say.
import { systemTimers } from 'pawl/internal/core/timers';
import { defineJob } from 'pawl/internal/handler/define-job';
import { PermanentError, TransientError } from 'pawl/internal/handler/failure';
import { typed } from 'pawl/internal/handler/schema';
import { distributed } from 'pawl/internal/lifecycles/distributed';

export const quick = defineJob('quick', {
  maxAttempts: 3,
  backoff: '1s',
  retryable: ['TransientError'],
  input: typed<{ n: number }>(),
  run: ({ input, attempt }) => {
    if (input.n % 10 === 0 && attempt === 1) throw new TransientError('once');
    return { n: input.n };
  },
});

export const doomed = defineJob('doomed', {
  input: typed<{ n: number }>(),
  lifecycle: distributed,
  run: () => {
    throw new PermanentError('always');
  },
});

export const talkative = defineJob('talkative', {
  input: typed<{ n: number }>(),
  run: async ({ stage, progress, log, signal }) => {
    for (const name of ['one', 'two', 'three']) {
      await stage(name, async () => {
        log(`in ${name}`);
        await systemTimers.sleep(50, signal);
        return { name, text: 'x'.repeat(500) };
      });
      progress({ percent: 30 }, name);
    }
    return 'x'.repeat(1_000);
  },
});
