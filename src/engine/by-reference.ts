import { expand, fits, INLINE_BYTES_MAX, referenceOf, shrink } from '../artifact/reference.ts';
import type { Failure } from '../core/decision.ts';
import { PawlError } from '../core/errors.ts';
import type { JsonText } from '../core/job.ts';
import { PAYLOADS, payloadRefusal } from '../core/payload.ts';
import type { Artifacts } from './artifacts.ts';
import type { Claim, ClaimOptions } from './claim.ts';
import type { Engine } from './engine.ts';
import { type EnqueueRequest, hashOf } from './enqueue-request.ts';
import type { Beat, BeatResult, Ownership } from './owner.ts';
import type { Settlement } from './settle.ts';
import type { Artifact, ArtifactRef } from '../records/artifacts.ts';
import type { WorkerSign } from '../records/workers.ts';

interface Refused {
  readonly kind: 'refused';
  readonly error: PawlError;
}

/** What a worker works through: an engine, or anything that does the same over a wire. */
interface Source<Outcome> {
  claim(options: ClaimOptions): Promise<readonly Claim[]>;
  start(holdings: readonly Ownership[]): Promise<readonly Outcome[]>;
  renew(beats: readonly Beat[]): Promise<readonly BeatResult[]>;
  settle(settlements: readonly Settlement[]): Promise<readonly Outcome[]>;
  announce?(signs: readonly WorkerSign[]): Promise<void>;
}

/** Where jobs are enqueued. */
type Sink = Pick<Engine, 'enqueue'>;

/** Where a worker's artifacts go and come from; who enqueues also uploads. */
type WorkerDesk = Pick<Artifacts, 'put' | 'find' | 'open'>;
type Desk = WorkerDesk & Pick<Artifacts, 'upload'>;

const CONTENT_TYPE = 'application/json';

/** The artifact that holds an input which is too large for the database. */
const INPUT_NAME = '$input';

/** The artifact that holds a result which is too large for the database. */
const RESULT_NAME = '$result';

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

/**
 * A sink that takes inputs of any size: a large one is uploaded, and the job refers to it. With a
 * job id of the caller's own the upload can be repeated as the job can.
 */
export function largeSink(sink: Sink, desk: Desk, bytesMax: number = INLINE_BYTES_MAX): Sink {
  return {
    enqueue: async (requests, options) => {
      // Almost all are small, and a promise for each would cost more than to look.
      if (requests.every(({ input }) => fits(textOf(input), bytesMax))) {
        return sink.enqueue(requests, options);
      }
      const { tenant } = options.caller;
      const small = await Promise.all(
        requests.map((one) => withSmallInput(desk, one, { tenant, bytesMax }).catch(refused)),
      );
      const open = small.filter((one): one is EnqueueRequest => !(one instanceof PawlError));
      const results = open.length === 0 ? [] : await sink.enqueue(open, options);
      return merged(small, results);
    },
  };
}

function textOf(input: unknown): JsonText {
  return JSON.stringify(input ?? null);
}

/** An input's text, or that of a reference to it where it is too large. */
export function smallText(
  desk: Pick<Desk, 'upload'>,
  { tenant, id }: { readonly tenant: string; readonly id?: string },
  json: JsonText,
  bytesMax: number = INLINE_BYTES_MAX,
): Promise<JsonText> {
  const put = async (content: Uint8Array): Promise<string> => {
    const upload = { name: INPUT_NAME, contentType: CONTENT_TYPE, content: once(content) };
    return (await desk.upload(tenant, id === undefined ? upload : { ...upload, id })).id;
  };
  return shrink(json, put, bytesMax);
}

async function withSmallInput(
  desk: Desk,
  request: EnqueueRequest,
  { tenant, bytesMax }: { tenant: string; bytesMax: number },
): Promise<EnqueueRequest> {
  const json = textOf(request.input);
  const refusal = payloadRefusal(PAYLOADS.input, json, '/input');
  if (refusal !== null) throw refusal;
  const { id } = request;
  const small = await smallText(
    desk,
    id === undefined ? { tenant } : { tenant, id },
    json,
    bytesMax,
  );
  if (small === json) return request;
  const input = JSON.parse(small) as unknown;
  if (request.idempotencyKey === undefined) return { ...request, input };
  // Two uploads of one input are two references, so the input itself is what is compared.
  return { ...request, input, payloadHash: hashOf(request) };
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
 * A source whose worker gets inputs and gives results of any size. A job whose input cannot be had
 * fails by itself: for good where it is gone, else to be tried again.
 */
export function largeSource<Outcome>(
  source: Source<Outcome>,
  desk: WorkerDesk,
  bytesMax: number = INLINE_BYTES_MAX,
): Source<Outcome | Refused> {
  return {
    claim: async (options) => {
      const claims = await source.claim(options);
      if (claims.every(({ job }) => referenceOf(job.input) === null)) return claims;
      const read = await Promise.all(claims.map((claim) => withInput(desk, claim)));
      const failed = read.filter((one) => 'error' in one);
      if (failed.length > 0) await source.settle(failed.map(failureOf));
      return read.flatMap((one) => ('error' in one ? [] : [one.claim]));
    },
    start: (holdings) => source.start(holdings),
    renew: (beats) => source.renew(beats),
    settle: (settlements) => settleSmall({ source, desk, bytesMax }, settlements),
    ...(source.announce === undefined ? {} : { announce: (signs) => source.announce!(signs) }),
  };
}

/** An input or result as it was given, also where it is kept by reference. */
export function wholeValue(desk: WorkerDesk, tenant: string, json: JsonText): Promise<JsonText> {
  return expand(json, async (id) => desk.open(await desk.find({ tenant, id })));
}

/** Whether an artifact holds a value as JSON, rather than a document that is only referred to. */
export async function isWholeIn(desk: Pick<Desk, 'find'>, ref: ArtifactRef): Promise<boolean> {
  return isValue(await desk.find(ref));
}

/** Of ciphertext the type says nothing, and the name is what tells. */
function isValue({ name, contentType }: Artifact): boolean {
  return contentType.startsWith(CONTENT_TYPE) || name === INPUT_NAME || name === RESULT_NAME;
}

type ReadClaim = { claim: Claim } | { claim: Claim; error: Failure };

async function withInput(desk: WorkerDesk, claim: Claim): Promise<ReadClaim> {
  const { tenant, input } = claim.job;
  const id = referenceOf(input);
  if (id === null) return { claim };
  try {
    const found = await desk.find({ tenant, id });
    // A document that is no JSON stays what it is: a reference, for the handler to open.
    if (!isValue(found)) return { claim };
    const whole = await expand(input, () => desk.open(found));
    return { claim: { ...claim, job: { ...claim.job, input: whole } } };
  } catch (error) {
    const isGone = error instanceof PawlError && error.code === 'NOT_FOUND';
    const message = `the input could not be had: ${error instanceof Error ? error.message : ''}`;
    const code = isGone ? 'INPUT_GONE' : 'INPUT_UNAVAILABLE';
    const errorClass = isGone ? 'validation_error' : 'dependency_unavailable';
    return { claim, error: { class: errorClass, code, message } };
  }
}

function failureOf({ claim: { job }, error }: { claim: Claim; error: Failure }): Settlement {
  const ref = { tenant: job.tenant, id: job.id };
  return { ref, owner: job.owner!, epoch: job.epoch, ending: { kind: 'fail', error } };
}

async function settleSmall<Outcome>(
  { source, desk, bytesMax }: { source: Source<Outcome>; desk: WorkerDesk; bytesMax: number },
  settlements: readonly Settlement[],
): Promise<readonly (Outcome | Refused)[]> {
  const isSmall = ({ ending }: Settlement): boolean =>
    ending.kind !== 'succeed' || ending.result === undefined || fits(ending.result, bytesMax);
  if (settlements.every(isSmall)) return source.settle(settlements);
  const prepared = await Promise.all(
    settlements.map((one) => withSmallResult(desk, one, bytesMax).catch(refused)),
  );
  const open = prepared.filter((one): one is Settlement => !(one instanceof PawlError));
  const outcomes = open.length === 0 ? [] : await source.settle(open);
  return merged(prepared, outcomes);
}

async function withSmallResult(
  desk: WorkerDesk,
  settlement: Settlement,
  bytesMax: number,
): Promise<Settlement> {
  const { ending } = settlement;
  if (ending.kind !== 'succeed' || ending.result === undefined) return settlement;
  const result = await smallResult(desk, settlement, { result: ending.result, bytesMax });
  return { ...settlement, ending: { ...ending, result } };
}

function smallResult(
  desk: WorkerDesk,
  held: Ownership,
  { result, bytesMax }: { result: JsonText; bytesMax: number },
): Promise<JsonText> {
  const put = async (content: Uint8Array): Promise<string> => {
    const artifact = { name: RESULT_NAME, contentType: CONTENT_TYPE, content: once(content) };
    return (await desk.put(held, artifact)).id;
  };
  return shrink(result, put, bytesMax);
}

function refused(error: unknown): PawlError {
  if (error instanceof PawlError) return error;
  throw error;
}
