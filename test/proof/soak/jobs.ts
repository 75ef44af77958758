// The jobs of a soak: quick ones, some that try again, some that fail, some with much to say.
import { systemTimers } from '../../../src/core/timers.ts';
import { defineJob } from '../../../src/handler/define-job.ts';
import { PermanentError, TransientError } from '../../../src/handler/failure.ts';
import { trusted } from '../../../src/handler/schema.ts';
import { distributed } from '../../../src/lifecycles/distributed.ts';
import { task } from '../../../src/lifecycles/task.ts';

const backoff = { kind: 'fixed', baseMs: 1_000 } as const;

export const quick = defineJob({
  type: 'quick',
  lifecycle: task,
  retry: { maxAttempts: 3, backoff },
  retryable: ['TransientError'],
  input: trusted<{ n: number }>(),
  run: ({ input, attempt }) => {
    if (input.n % 10 === 0 && attempt === 1) throw new TransientError('once');
    return { n: input.n };
  },
});

export const doomed = defineJob({
  type: 'doomed',
  lifecycle: distributed,
  run: () => {
    throw new PermanentError('always');
  },
});

export const talkative = defineJob({
  type: 'talkative',
  lifecycle: task,
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
