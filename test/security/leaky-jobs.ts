// Handlers that put secrets where they do not belong, as real ones do when something breaks.
import { defineJob } from '../../src/handler/define-job.ts';
import { trusted } from '../../src/handler/schema.ts';
import { task } from '../../src/lifecycles/task.ts';

export const leaky = defineJob({
  type: 'leaky',
  lifecycle: task,
  input: trusted<{ secret: string }>(),
  run: ({ input }) => {
    throw new Error(`connect to postgres://app:${input.secret}@db.internal/app failed`);
  },
});
