import type { JobEvent } from '../../core/event.ts';
import type { Job, JobError, JobRef } from '../../core/job.ts';
import { isUuid } from '../../core/uuid.ts';
import type { Compensation } from '../../handler/context.ts';
import type { DeadLetter } from '../../records/dead-letters.ts';
import type { StageResult } from '../../store/stage-result.ts';
import {
  CodecError,
  type PayloadCodec,
  type PayloadField,
  type PayloadPlace,
} from '../payload-codec.ts';
import { withErrorTexts } from './error-texts.ts';

/** A payload of a note that is no text, as it is stored. */
export interface EncodedNote {
  readonly $encoded: string;
}

export function placeIn({ tenant, id }: JobRef, field: PayloadField): PayloadPlace {
  return { tenant, jobId: id, field };
}

/** Applied to what is there. */
function ifAny<Value>(value: Value | null, decode: (value: Value) => Value): Value | null {
  return value === null ? null : decode(value);
}

/** A job, decrypted. Throws a CodecError if any part of it cannot be decrypted. */
export function decodeJob(codec: PayloadCodec, job: Job): Job {
  const json = (field: PayloadField) => (value: string) =>
    codec.decodeJson(placeIn(job, field), value);
  return {
    ...job,
    input: decodeInput(codec, job),
    result: ifAny(job.result, json('result')),
    checkpoint: ifAny(job.checkpoint, json('checkpoint')),
    message: ifAny(job.message, (text) => codec.decodeText(placeIn(job, 'message'), text)),
    error: ifAny(job.error, (error) => decodeError(codec, job, error)),
  };
}

type Origin = Pick<Job, 'tenant' | 'id' | 'input' | 'parentJobId' | 'correlationId'>;

/**
 * The replay of a dead letter has the input of the job that died, which was made for that job's
 * id: its parent, or, after several replays, the job that the correlation goes back to.
 */
function decodeInput(codec: PayloadCodec, job: Origin): string {
  const ids = [job.id, job.parentJobId, job.parentJobId === null ? null : job.correlationId];
  const candidates = [...new Set(ids.filter((id) => id !== null && isUuid(id)))] as string[];
  let first: unknown = null;
  for (const id of candidates) {
    try {
      return codec.decodeJson(placeIn({ tenant: job.tenant, id }, 'input'), job.input);
    } catch (error) {
      first ??= error;
      const undone = isNotEncoded(error) ? decodeCompensation(codec, job) : null;
      if (undone !== null) return undone;
      if (!(error instanceof CodecError) || error.code !== 'WRONG_PLACE') throw error;
    }
  }
  throw first;
}

/**
 * A job that undoes another is told of it by the platform, which knows its values only as they are
 * stored: each is readable in the place that it had there. Null where the job is another one.
 */
function decodeCompensation(codec: PayloadCodec, job: Origin): string | null {
  const { tenant, parentJobId, correlationId } = job;
  const told = JSON.parse(job.input) as Compensation<unknown> | null;
  if (parentJobId === null || told?.jobId !== parentJobId || !told.kept || !told.end) return null;
  const ref = { tenant, id: parentJobId };
  const value = (field: PayloadField, stored: unknown): unknown =>
    JSON.parse(codec.decodeJson(placeIn(ref, field), JSON.stringify(stored)));
  const input = { ...ref, input: JSON.stringify(told.input), parentJobId, correlationId };
  const kept = Object.entries(told.kept).map(([name, one]) => [name, value(`stage:${name}`, one)]);
  return JSON.stringify({
    ...told,
    input: JSON.parse(decodeInput(codec, input)) as unknown,
    kept: Object.fromEntries(kept) as unknown,
    checkpoint: told.checkpoint === null ? null : value('checkpoint', told.checkpoint),
    end: { ...told.end, error: ifAny(told.end.error, (error) => decodeError(codec, ref, error)) },
  } satisfies Record<keyof Compensation<unknown>, unknown>);
}

/** Errors that the platform itself wrote (a lost worker, an operator's word) are plain. */
export function decodeError(codec: PayloadCodec, ref: JobRef, error: JobError): JobError {
  return withErrorTexts(error, {
    text: (field, encoded) =>
      orPlain(encoded, () => codec.decodeText(placeIn(ref, field), encoded)),
    value: (field, encoded) =>
      orPlain(encoded, () => decodeValue(codec, placeIn(ref, field), encoded)),
  });
}

function decodeValue(codec: PayloadCodec, place: PayloadPlace, encoded: unknown): unknown {
  return JSON.parse(codec.decodeJson(place, JSON.stringify(encoded)));
}

function orPlain<Value>(plain: Value, decode: () => Value): Value {
  try {
    return decode();
  } catch (error) {
    if (isNotEncoded(error)) return plain;
    throw error;
  }
}

function isNotEncoded(error: unknown): boolean {
  return error instanceof CodecError && error.code === 'NOT_ENCODED';
}

/** The result of a stage, decrypted. */
export function decodeStage(codec: PayloadCodec, ref: JobRef, stage: StageResult): StageResult {
  return { ...stage, result: codec.decodeJson(placeIn(ref, `stage:${stage.name}`), stage.result) };
}

/** An event of a job, decrypted. */
export function decodeEvent(codec: PayloadCodec, event: JobEvent): JobEvent {
  const ref = { tenant: event.tenant, id: event.jobId };
  const field = event.type === 'job_log' ? 'log' : 'message';
  return {
    ...event,
    message: ifAny(event.message, (text) => decodeLine(codec, ref, { field, text })),
    payload: ifAny(event.payload, (payload) => decodePayload(codec, ref, payload)),
  };
}

/** A note without a line of its own repeats the job's message. */
function decodeLine(
  codec: PayloadCodec,
  ref: JobRef,
  { field, text }: { field: 'log' | 'message'; text: string },
): string {
  try {
    return codec.decodeText(placeIn(ref, field), text);
  } catch (error) {
    const isOther = error instanceof CodecError && error.code === 'WRONG_PLACE';
    if (!isOther || field === 'message') throw error;
    return codec.decodeText(placeIn(ref, 'message'), text);
  }
}

type Payload = NonNullable<JobEvent['payload']>;

function decodePayload(codec: PayloadCodec, ref: JobRef, payload: Payload): Payload {
  const { error, text, $encoded } = payload as Payload & Partial<EncodedNote>;
  if ($encoded !== undefined) {
    return JSON.parse(codec.decodeJson(placeIn(ref, 'note'), JSON.stringify($encoded))) as Payload;
  }
  return {
    ...payload,
    ...(error === undefined ? {} : { error: decodeError(codec, ref, error as JobError) }),
    ...(typeof text === 'string' ? { text: codec.decodeText(placeIn(ref, 'tokens'), text) } : {}),
  };
}

/** A dead letter with its input and last error decrypted. */
export function decodeDeadLetter(codec: PayloadCodec, letter: DeadLetter): DeadLetter {
  const ref = { tenant: letter.tenant, id: letter.jobId };
  const { input, correlationId } = letter;
  const origin = { ...ref, input, parentJobId: letter.jobId, correlationId };
  return {
    ...letter,
    input: decodeInput(codec, origin),
    lastError: decodeError(codec, ref, letter.lastError),
  };
}
