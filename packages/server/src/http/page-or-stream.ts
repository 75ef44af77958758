import { Type } from 'typebox';
import { JobEventSchema } from 'pawl/internal/contract/job';
import { pageOf } from 'pawl/internal/contract/values';
import { PawlError } from 'pawl/internal/core/errors';
import type { LostTail } from 'pawl/internal/store/query';

const CURSOR = Type.String({ minLength: 1, maxLength: 200 });

/** How events are asked for that come as a page or as a stream. */
export const FROM_HEADERS = Type.Object({ 'last-event-id': Type.Optional(CURSOR) });

export const FROM_QUERY = {
  cursor: Type.Optional(CURSOR),
  lastEventId: Type.Optional(CURSOR),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
};

export const PAGE_OR_STREAM = {
  description: 'A page of events, or the stream.',
  content: {
    'application/json': { schema: pageOf(JobEventSchema) },
    'text/event-stream': { schema: JobEventSchema },
  },
} as const;

/** What a stream says where it cannot go on from the cursor that it was given. */
export const RESET: PawlError = new PawlError(
  'CURSOR_RESET',
  'the cursor is of another log than this one',
);

/** The same, with what a failover has lost of the log where that is the cause. */
export function resetOf(lost: LostTail | undefined, details: { cursor?: string } = {}): PawlError {
  if (lost === undefined) return RESET;
  const message =
    `a failover has lost the end of the log: entries ${lost.from} to ${lost.to}, of which this ` +
    'reader has seen, are not there any more; what comes next follows on the entry before';
  return new PawlError('CURSOR_RESET', message, { details: { ...details, lost } });
}
