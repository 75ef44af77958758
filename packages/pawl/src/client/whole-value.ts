import { isPawlError } from '../core/errors.ts';
import type { JobJson } from '../contract/job.ts';
import type { ApiClient } from './api-client.ts';
import type { ArtifactsClient } from './artifacts-client.ts';

/** Above this many characters an input goes as an artifact, and the job refers to it. */
const INLINE_LENGTH_MAX = 256 * 1024;
const CONTENT_TYPE = 'application/json';
/** The artifact that holds an input which is too large for a job. */
const INPUT_NAME = 'input.json';

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
export async function wholeJob(api: ApiClient, job: JobJson): Promise<JobJson> {
  const [input, result] = await Promise.all([
    isReference(job.input) ? wholeInput(api, job) : job.input,
    isReference(job.result) ? orElse(job.result, () => api.result(job.id)) : job.result,
  ]);
  return input === job.input && result === job.result ? job : { ...job, input, result };
}

/** A document that is no JSON stays a reference. */
function wholeInput(api: ApiClient, { id, input }: JobJson): Promise<unknown> {
  return orElse(input, async () => {
    const given = await api.input(id);
    if (!isReference(given)) return given;
    const artifact = await api.artifacts.get(given.$artifact);
    if (!artifact.contentType.startsWith(CONTENT_TYPE)) return given;
    return new Response(await api.artifacts.download(artifact)).json();
  });
}

/** What is gone, or not for this caller, stays a reference. */
async function orElse(reference: unknown, read: () => Promise<unknown>): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    const isOut = isPawlError(error) && ['NOT_FOUND', 'FORBIDDEN'].includes(error.code);
    if (isOut) return reference;
    throw error;
  }
}

function isReference(value: unknown): value is { readonly $artifact: string } {
  if (typeof value !== 'object' || value === null) return false;
  const { $artifact: id, ...rest } = value as Record<string, unknown>;
  return typeof id === 'string' && Object.keys(rest).length === 0;
}
