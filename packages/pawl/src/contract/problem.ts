import { type Static, Type } from 'typebox';
import { type ErrorCode, ERRORS } from '../core/errors.ts';
import { JobSchema } from './job.ts';
import { OutcomeSchema } from './unique.ts';
import { closed } from './values.ts';

const CODES = Object.keys(ERRORS) as ErrorCode[];

/** RFC 9457, with a stable `code` and what to do next. */
export const ProblemSchema = Type.Object(
  {
    type: Type.String({ examples: ['urn:pawl:error:NOT_FOUND'] }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.Enum(CODES, { description: 'Stable, for use in programs.' }),
    hint: Type.String({ description: 'What to do next.' }),
    instance: Type.Optional(Type.String()),
    requestId: Type.Optional(Type.String()),
    errors: Type.Optional(
      Type.Array(
        closed({
          in: Type.Optional(Type.Enum(['body', 'query', 'path', 'header'])),
          pointer: Type.String({ description: 'JSON pointer of the faulty member.' }),
          message: Type.String(),
        }),
      ),
    ),
  },
  {
    $id: 'Problem',
    additionalProperties: true,
    description: 'RFC 9457. Some codes add members of their own.',
  },
);

export type Problem = Static<typeof ProblemSchema>;

/** One item of an answer to many: what it would have been alone. */
export const BatchItemSchema = Type.Object(
  {
    status: Type.Integer({ description: 'The status that the item alone would have had.' }),
    outcome: Type.Optional(OutcomeSchema),
    job: Type.Optional(JobSchema),
    error: Type.Optional(ProblemSchema),
  },
  { $id: 'BatchItem', additionalProperties: false },
);
