import type { Content } from '../artifact/artifact-store.ts';
import {
  type ArtifactReference,
  fits,
  INLINE_BYTES_MAX,
  isJson,
  referenceOf,
  shrink,
  textIn,
} from '../artifact/reference.ts';
import { INPUT_VALUE, RESULT_VALUE } from '../core/value-name.ts';
import type { Failure } from '../core/decision.ts';
import type { Ending } from '../core/ending.ts';
import { PawlError } from '../core/errors.ts';
import { inexactNumberIn } from '../core/exact-number.ts';
import type { Job, JobRef, JsonText } from '../core/job.ts';
import { inexactRefusal, PAYLOADS, payloadText } from '../core/payload.ts';
import type { Artifact } from '../records/artifacts.ts';
import type { Artifacts } from './artifacts.ts';
import type { Claim } from './claim.ts';
import type { Engine } from './engine.ts';
import { type EnqueueRequest, hashOf, withInputJson } from './enqueue-request.ts';
import type { InputPlace } from './large-inputs.ts';
import type { Settlement } from './settle.ts';
import type { JobSource, SourceOutcome } from './source.ts';
import { largeFlow, type WorkerValues } from './large-flow.ts';

type Refused = Extract<SourceOutcome, { kind: 'refused' }>;

/** Where jobs are enqueued. */
type Sink = Pick<Engine, 'enqueue'>;

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

/**
 * A sink for inputs of any size: a large input is stored as an artifact and referred to by its job.
 * With an id from the caller it is repeatable.
 */
export function largeSink(sink: Sink, files: Artifacts, bytesMax: number = INLINE_BYTES_MAX): Sink {
  return {
    enqueue: async (given, options) => {
      const requests = given.map(withInputJson);
      // Almost all are small, and a promise for each would cost more than to look.
      if (requests.every(({ inputJson: json }) => json === undefined || fits(json, bytesMax))) {
        return sink.enqueue(requests, options);
      }
      const { tenant } = options.caller;
      const small = await Promise.all(
        requests.map((one) => withSmallInput(files, one, { tenant, bytesMax }).catch(refused)),
      );
      // A call that is refused as a whole is so by the sink, which names the item.
      if (options.isWhole && small.some((one) => one instanceof PawlError)) {
        return sink.enqueue(requests, options);
      }
      const open = small.filter((one): one is EnqueueRequest => !(one instanceof PawlError));
      const results = open.length === 0 ? [] : await sink.enqueue(open, options);
      return merged(small, results);
    },
  };
}

async function withSmallInput(
  files: Artifacts,
  request: EnqueueRequest,
  { tenant, bytesMax }: { tenant: string; bytesMax: number },
): Promise<EnqueueRequest> {
  const json = payloadText(PAYLOADS.input, request.input, '/input', request.inputJson);
  const id = request.id ?? files.newId();
  const small = await smallInput(files, json, { ref: { tenant, id }, bytesMax });
  if (small === json) return request;
  const own = { id, input: JSON.parse(small) as unknown, inputJson: small };
  if (request.idempotencyKey === undefined) return { ...request, ...own };
  // Sent again it is kept under another id, so the input itself is what is compared.
  return { ...request, ...own, payloadHash: hashOf(request) };
}

function smallInput(
  files: Artifacts,
  json: JsonText,
  { ref, bytesMax }: { ref: JobRef; bytesMax: number },
): Promise<JsonText> {
  const put = async (content: Uint8Array): Promise<string> => {
    await files.keepInput(ref.tenant, ref.id, once(content));
    return ref.id;
  };
  return shrink(json, put, bytesMax);
}

/** The answers in the order of what was asked, with those that never were asked in between. */
function merged<Result>(
  asked: readonly unknown[],
  results: readonly Result[],
): (Result | Refused)[] {
  let next = 0;
  return asked.map((one) =>
    one instanceof PawlError ? { kind: 'refused', error: one } : results[next++]!,
  );
}

/**
 * A source for inputs and results of any size. A job whose input cannot be fetched fails on its
 * own: permanently if the input no longer exists, otherwise with a retry.
 */
export function largeSource(
  source: JobSource,
  values: WorkerValues,
  bytesMax: number = INLINE_BYTES_MAX,
): JobSource {
  const keeping: Keeping = { values, bytesMax, kept: new WeakMap<Ending, Ending>() };
  return {
    claim: async (options) => withInputs(source, values, await source.claim(options)),
    start: (holdings) => source.start(holdings),
    renew: (beats) => source.renew(beats),
    settle: async (settlements) => {
      const { open, answer } = await smallOf(keeping, settlements);
      return answer(open.length === 0 ? [] : await source.settle(open));
    },
    ...(source.settleAndClaim === undefined
      ? {}
      : {
          settleAndClaim: async (settlements, claim) => {
            const { open, answer } = await smallOf(keeping, settlements);
            const { outcomes, claims } = await source.settleAndClaim!(open, claim);
            const read = await withInputs(source, values, claims);
            return { outcomes: answer(outcomes), claims: read };
          },
        }),
    ...(source.announce === undefined ? {} : { announce: (signs) => source.announce!(signs) }),
    ...largeFlow(source, values),
  };
}

async function withInputs(
  source: JobSource,
  values: WorkerValues,
  claims: readonly Claim[],
): Promise<readonly Claim[]> {
  if (claims.every(({ job }) => referenceOf(job.input) === null)) return claims;
  const read = await Promise.all(claims.map((claim) => withInput(values, claim)));
  const failed = read.filter((one) => 'error' in one);
  if (failed.length > 0) await source.settle(failed.map(failureOf));
  return read.flatMap((one) => ('error' in one ? [] : [one.claim]));
}

/** The value that a job's result stands for, or null where it stands for itself. */
export function resultValue(
  files: Artifacts,
  { tenant, id, result }: Pick<Job, 'tenant' | 'id' | 'result'>,
): Promise<Content | null> {
  const reference = result === null ? null : referenceOf(result);
  if (reference === null) return Promise.resolve(null);
  // Only its own: a worker may complete its job with whatever it likes.
  const isOwn = ({ name, jobId }: Artifact): boolean => name === RESULT_VALUE && jobId === id;
  return files.openValue({ tenant, id: reference }, isOwn);
}

/** The result of a job, also if it is stored by reference. */
export async function wholeResult(
  files: Artifacts,
  job: Pick<Job, 'tenant' | 'id' | 'result'>,
): Promise<JsonText> {
  const value = await resultValue(files, job);
  return value === null ? (job.result ?? 'null') : textIn(value);
}

type Given = Pick<Job, 'tenant' | 'id' | 'input'>;

/** The value that a job's input stands for, or null where it stands for itself, or a document. */
export function inputValue(
  files: Artifacts,
  { tenant, id, input }: Given,
): Promise<Content | null> {
  if (referenceOf(input) !== id) return Promise.resolve(null);
  return files.openValue({ tenant, id }, ({ name }) => name === INPUT_VALUE);
}

/**
 * The input of a job as it was given: a value, or the JSON of an artifact that everybody may see. A
 * document that is no JSON stays what it is: a reference, for the handler to open.
 */
export async function wholeInput(files: Artifacts, job: Given): Promise<JsonText> {
  const { tenant, input } = job;
  const id = referenceOf(input);
  if (id === null) return input;
  const value = await inputValue(files, job);
  if (value !== null) return textIn(value);
  const found = await files.find({ tenant, id });
  return isJson(found) ? textIn(await files.open(found)) : input;
}

/** The values of jobs that are stored as artifacts, for workers in the process of the engine. */
export function valuesIn(files: Artifacts): WorkerValues {
  return {
    inputOf: (job) => wholeInput(files, job),
    keepResult: (held, content) => files.keepResult(held, content),
    resultOf: (job) => wholeResult(files, job),
  };
}

/** The place of large inputs, where there is one for artifacts. */
export function inputsIn(files: Artifacts, bytesMax: number = INLINE_BYTES_MAX): InputPlace {
  return {
    whole: (job) => wholeInput(files, job),
    small: (ref, json) => smallInput(files, json, { ref, bytesMax }),
    copied: async (ref, origin) => {
      const value = await inputValue(files, origin);
      if (value === null) return origin.input;
      await files.keepInput(ref.tenant, ref.id, value);
      return JSON.stringify({ $artifact: ref.id } satisfies ArtifactReference);
    },
  };
}

type ReadClaim = { claim: Claim } | { claim: Claim; error: Failure };

async function withInput(values: WorkerValues, claim: Claim): Promise<ReadClaim> {
  const { job } = claim;
  if (referenceOf(job.input) === null) return { claim };
  try {
    const input = await values.inputOf(job);
    // A document of JSON that somebody uploaded has passed no other door.
    const inexact = inexactNumberIn(input);
    if (inexact !== null) return { claim, error: unreadable(inexactRefusal('/input', inexact)) };
    return { claim: { ...claim, job: { ...job, input } } };
  } catch (error) {
    const isGone = error instanceof PawlError && error.code === 'NOT_FOUND';
    const message = `the input was not fetched: ${error instanceof Error ? error.message : ''}`;
    const code = isGone ? 'INPUT_GONE' : 'INPUT_UNAVAILABLE';
    const errorClass = isGone ? 'validation_error' : 'dependency_unavailable';
    return { claim, error: { class: errorClass, code, message } };
  }
}

function unreadable({ message }: PawlError): Failure {
  return { class: 'validation_error', code: 'VALIDATION_ERROR', message: `the input: ${message}` };
}

function failureOf({ claim: { job }, error }: { claim: Claim; error: Failure }): Settlement {
  const ref = { tenant: job.tenant, id: job.id };
  return { ref, owner: job.owner!, epoch: job.epoch, ending: { kind: 'fail', error } };
}

interface Keeping {
  readonly values: WorkerValues;
  readonly bytesMax: number;
  /** An end whose answer was lost is reported again, and must then be the same end. */
  readonly kept: WeakMap<Ending, Ending>;
}

/** Ends that can be reported, and how their outcomes become the answer to all that were given. */
interface SmallEnds {
  readonly open: readonly Settlement[];
  readonly answer: (outcomes: readonly SourceOutcome[]) => readonly SourceOutcome[];
}

async function smallOf(keeping: Keeping, settlements: readonly Settlement[]): Promise<SmallEnds> {
  const { bytesMax } = keeping;
  const isSmall = ({ ending }: Settlement): boolean =>
    ending.kind !== 'succeed' || ending.result === undefined || fits(ending.result, bytesMax);
  if (settlements.every(isSmall)) return { open: settlements, answer: (outcomes) => outcomes };
  const prepared = await Promise.all(
    settlements.map((one) => withSmallResult(keeping, one).catch(refused)),
  );
  const open = prepared.filter((one): one is Settlement => !(one instanceof PawlError));
  return { open, answer: (outcomes) => merged(prepared, outcomes) };
}

async function withSmallResult(
  { values, bytesMax, kept }: Keeping,
  settlement: Settlement,
): Promise<Settlement> {
  const { ending } = settlement;
  if (ending.kind !== 'succeed' || ending.result === undefined) return settlement;
  const known = kept.get(ending);
  if (known !== undefined) return { ...settlement, ending: known };
  const put = async (content: Uint8Array): Promise<string> =>
    (await values.keepResult(settlement, once(content))).id;
  const small = { ...ending, result: await shrink(ending.result, put, bytesMax) };
  kept.set(ending, small);
  return { ...settlement, ending: small };
}

function refused(error: unknown): PawlError {
  if (error instanceof PawlError) return error;
  throw error;
}
