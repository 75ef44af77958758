// A job that books a room, fails for good, and can give the room back.
import { appendFileSync } from 'node:fs';
import { defineJob, type JobDefinition } from '../../src/handler/define-job.ts';
import { PermanentError } from '../../src/handler/failure.ts';
import { typed } from '../../src/handler/schema.ts';

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
