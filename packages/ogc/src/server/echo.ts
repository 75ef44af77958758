import { Type } from 'typebox';
import { defineJob, fromTypebox, type JobDefinition, process, systemClock } from 'pawl/define';

const PAUSE_SECONDS_MAX = 3_600;

const BoundingBox = Type.Object(
  {
    bbox: Type.Array(Type.Number(), { minItems: 4, maxItems: 6 }),
    crs: Type.Optional(Type.String()),
  },
  { title: 'Bounding box', description: 'Coordinates of the corners, and their reference system.' },
);

/** One kind of each value that a process can take; each comes back under its own name. */
const SAID = {
  record: Type.Optional(
    Type.Object({ value: Type.String() }, { title: 'Record', description: 'An object.' }),
  ),
  numbers: Type.Optional(
    Type.Array(Type.Integer(), {
      title: 'Numbers',
      description: 'An array of integers.',
      maxItems: 1_000,
    }),
  ),
  box: Type.Optional(BoundingBox),
  image: Type.Optional(
    Type.String({
      title: 'Image',
      description: 'A PNG image, in base64 where it is part of JSON.',
      contentMediaType: 'image/png',
      contentEncoding: 'base64',
    }),
  ),
  file: Type.Optional(
    Type.String({
      title: 'File',
      description: 'Any bytes, in base64 where they are part of JSON.',
      format: 'byte',
      contentEncoding: 'base64',
    }),
  ),
  either: Type.Optional(
    // TypeBox would write anyOf, and the standard's word for mixed types is oneOf.
    Type.Unsafe<string | number>({
      title: 'Either',
      description: 'A text or a number.',
      oneOf: [{ type: 'string' }, { type: 'number' }],
    }),
  ),
};

const Input = Type.Object(
  {
    message: Type.String({ title: 'Message', description: 'The value to return.' }),
    pause: Type.Optional(
      Type.Number({
        title: 'Pause',
        description: 'Seconds to wait before the answer.',
        minimum: 0,
        maximum: PAUSE_SECONDS_MAX,
      }),
    ),
    ...SAID,
  },
  { additionalProperties: false },
);

const Result = Type.Object({
  message: Type.String({ title: 'Message', description: 'The value that was sent.' }),
  pause: Type.Number({ title: 'Pause', description: 'Seconds waited.' }),
  ...SAID,
});

/**
 * A process to try clients with, made as the official test suite wants one: a plain text that comes
 * back under its own id, further inputs of every kind, and a pause in which there are no results
 * yet.
 */
export const echo: JobDefinition = defineJob('echo', {
  lifecycle: process,
  expose: {
    title: 'Echo',
    description: 'Returns its input, after an optional pause.',
    version: '1.2.0',
    keywords: ['echo', 'test'],
  },
  input: fromTypebox(Input),
  result: fromTypebox(Result),
  run({ input, job, advance }) {
    const { pause = 0 } = input;
    const restMs = job.createdAt + pause * 1_000 - systemClock.now();
    // The pause takes no worker's time, and goes on wherever it is looked at next.
    if (pause > 0 && restMs > 0) advance(restMs);
    return { ...input, pause };
  },
});
