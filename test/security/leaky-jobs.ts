// Handlers that put secrets where they do not belong, as real ones do when something breaks.
import { defineJob } from 'pawl/internal/handler/define-job';
import { typed } from 'pawl/internal/handler/schema';

export const leaky = defineJob('leaky', {
  input: typed<{ secret: string }>(),
  run: ({ input }) => {
    throw new Error(`connect to postgres://app:${input.secret}@db.internal/app failed`);
  },
});
