// A job that books a room, fails for good, and can give the room back.
import { appendFileSync } from 'node:fs';
import { defineJob, type JobDefinition } from 'pawl/internal/handler/define-job';
import { PermanentError } from 'pawl/internal/handler/failure';
import { typed } from 'pawl/internal/handler/schema';

/** Both processes of a test write what they do to one file. */
export function bookingJob(callLog: string): JobDefinition<{ fixture: number }> {
  return defineJob('booking', {
    input: typed<{ fixture: number }>(),
    run: ({ input }) => {
      appendFileSync(callLog, `booked ${input.fixture}\n`);
      throw new PermanentError('the card was refused');
    },
    compensate: ({ input }) => appendFileSync(callLog, `gave back ${input.input.fixture}\n`),
  });
}
