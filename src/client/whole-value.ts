import { isPawlError } from '../core/errors.ts';
import type { JobJson } from '../http/schema/job.ts';
import type { ArtifactsClient } from './artifacts-client.ts';

/** Above this many characters an input goes as an artifact, and the job refers to it. */
const INLINE_LENGTH_MAX = 256 * 1024;
const CONTENT_TYPE = 'application/json';
/** The artifacts that hold inputs and results which are too large for the database. */
const INPUT_NAME = '$input';
const RESULT_NAME = '$result';

/**
 * The input as a job can hold it: a large one is uploaded first. With a key the upload is repeated
 * as the job is, so that a repeat refers to the same artifact.
 */
export async function smallInput(
  artifacts: ArtifactsClient,
  input: unknown,
  key: string | undefined,
): Promise<unknown> {
  const content = input === undefined ? '' : JSON.stringify(input);
  if (content.length <= INLINE_LENGTH_MAX) return input;
  const named = { name: INPUT_NAME, contentType: CONTENT_TYPE, content };
  const keyed = key === undefined ? named : { ...named, idempotencyKey: `${key} ${INPUT_NAME}` };
  try {
    const { id } = await artifacts.upload(keyed);
    return { $artifact: id };
  } catch (error) {
    // A server without a place for artifacts says itself how large an input may be.
    if (isPawlError(error) && error.code === 'NOT_FOUND') return input;
    throw error;
  }
}

/** A job with its values where they are kept by reference. */
export async function wholeJob(artifacts: ArtifactsClient, job: JobJson): Promise<JobJson> {
  const [input, result] = await Promise.all([
    wholeValue(artifacts, job.input),
    wholeValue(artifacts, job.result),
  ]);
  return input === job.input && result === job.result ? job : { ...job, input, result };
}

/** A document that is no JSON stays a reference, as does what is gone or not for this caller. */
export async function wholeValue(artifacts: ArtifactsClient, value: unknown): Promise<unknown> {
  const id = referenceIn(value);
  if (id === null) return value;
  try {
    const artifact = await artifacts.get(id);
    const { name, contentType } = artifact;
    const isValue =
      contentType.startsWith(CONTENT_TYPE) || name === INPUT_NAME || name === RESULT_NAME;
    if (!isValue) return value;
    return await new Response(await artifacts.download(artifact)).json();
  } catch (error) {
    const isOut = isPawlError(error) && ['NOT_FOUND', 'FORBIDDEN'].includes(error.code);
    if (isOut) return value;
    throw error;
  }
}

function referenceIn(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const { $artifact: id, ...rest } = value as Record<string, unknown>;
  return typeof id === 'string' && Object.keys(rest).length === 0 ? id : null;
}
