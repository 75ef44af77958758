// Handlers that put secrets where they do not belong, as real ones do when something breaks.
import { defineJob } from '../../src/handler/define-job.ts';
import { typed } from '../../src/handler/schema.ts';

export const leaky = defineJob('leaky', {
  input: typed<{ secret: string }>(),
  run: ({ input }) => {
    throw new Error(`connect to postgres://app:${input.secret}@db.internal/app failed`);
  },
});
