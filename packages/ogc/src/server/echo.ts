import { Type } from 'typebox';
import { defineJob, fromTypebox, type JobDefinition, process, systemClock } from 'pawl/define';

const PAUSE_SECONDS_MAX = 3_600;

const Input = Type.Object(
  {
    message: Type.String({ title: 'Message', description: 'What is to be said again.' }),
    pause: Type.Optional(
      Type.Number({
        title: 'Pause',
        description: 'Seconds to wait before the answer.',
        minimum: 0,
        maximum: PAUSE_SECONDS_MAX,
      }),
    ),
  },
  { additionalProperties: false },
);

const Result = Type.Object({
  message: Type.String({ title: 'Message', description: 'What was said.' }),
  pause: Type.Number({ title: 'Pause', description: 'Seconds that were waited.' }),
});

/**
 * A process to try clients with, made as the official test suite wants one: a plain text that comes
 * back under its own id, a second output, and a pause in which there are no results yet.
 */
export const echo: JobDefinition = defineJob('echo', {
  lifecycle: process,
  expose: {
    title: 'Echo',
    description: 'Returns its input, after an optional pause.',
    version: '1.0.0',
    keywords: ['echo', 'test'],
  },
  input: fromTypebox(Input),
  result: fromTypebox(Result),
  run({ input, job, advance }) {
    const { message, pause = 0 } = input;
    const restMs = job.createdAt + pause * 1_000 - systemClock.now();
    // The pause takes no worker's time, and goes on wherever it is looked at next.
    if (pause > 0 && restMs > 0) advance(restMs);
    return { message, pause };
  },
});
