// Results as the 2.0 draft has them: one output as it is, several as one JSON document.
import type { Job } from 'pawl/define';
import type { OutputValue, ProcessResults } from '../model/process-source.ts';
import { PROFILE } from '../model/vocabulary.ts';
import {
  invalidQueryParameter,
  noSuchOutput,
  notAcceptable,
  resultNotAvailable,
} from './exception.ts';
import { recordIn } from './execution-record.ts';
import { acceptsType } from './negotiate.ts';
import type { ReturnPreference } from './prefer.ts';
import {
  aloneOf,
  documentOf,
  jsonOf,
  mediaTypeOf,
  outputsOf,
  rawOf,
  referencesOnly,
  type ShapedResults,
} from './results.ts';

/** What a client would like of results. */
export interface ResultsWish {
  readonly accept: string | null;
  /** Null: large values are references. */
  readonly returns: ReturnPreference | null;
}

/** In JSON; a larger value is a reference, unless the whole is asked for. */
const LARGE_BYTES = 64 * 1024;
const PROFILE_LINK = `<${PROFILE.results}>; rel="profile"`;

export function isNegotiated(job: Job): boolean {
  return recordIn(job)?.response === 'negotiated';
}

/** The answer to an execution that was waited for. */
export function executedResults(
  results: ProcessResults,
  { job, base }: { job: Job; base: string },
  wish: ResultsWish,
): ShapedResults {
  if (recordIn(job)?.isEmpty === true) return referencesOnly([]);
  if (results.kind !== 'outputs') return passedOn(results);
  const outputs = outputsOf(results.outputs, job, { base, isRaw: true });
  const [first] = outputs;
  if (outputs.length === 1 && first !== undefined) return acceptedOf(first, wish);
  return asDocument(outputs, wish);
}

/** `/jobs/{id}/results`: a document, of all outputs that were asked for or of some. */
export function fetchedResults(
  results: ProcessResults,
  { job, base, ids }: { job: Job; base: string; ids: readonly string[] | null },
  wish: ResultsWish,
): ShapedResults {
  if (recordIn(job)?.isEmpty === true) throw resultNotAvailable(job.id);
  if (results.kind !== 'outputs') return passedOn(results);
  const outputs = outputsOf(results.outputs, job, { base, isRaw: false });
  const unknown = ids?.find((id) => !outputs.some((one) => one.id === id));
  if (unknown !== undefined) throw invalidQueryParameter('outputs', unknown);
  return asDocument(
    outputs.filter(({ id }) => ids?.includes(id) ?? true),
    wish,
  );
}

/** `/jobs/{id}/results/{outputId}` */
export function fetchedOutput(
  results: ProcessResults,
  { job, id }: { job: Job; id: string },
  wish: ResultsWish,
): ShapedResults {
  const { isEmpty, outputs: asked = {} } = recordIn(job) ?? {};
  if (isEmpty === true) throw resultNotAvailable(job.id);
  const isKnown = results.kind === 'outputs' && Object.hasOwn(results.outputs, id);
  if (!isKnown) throw noSuchOutput(job.id, id);
  const isAsked = Object.keys(asked).length === 0 || Object.hasOwn(asked, id);
  if (!isAsked) throw resultNotAvailable(job.id);
  return acceptedOf(results.outputs[id]!, wish);
}

/** A provider's answer has its shape already; one in JSON is of the same profile. */
function passedOn(results: Exclude<ProcessResults, { kind: 'outputs' }>): ShapedResults {
  if (results.kind === 'references') return referencesOnly(results.linkHeaders);
  const { kind: _, ...answered } = results;
  const isJson = answered.contentType.startsWith('application/json');
  return { status: 200, links: isJson ? [PROFILE_LINK] : [], ...answered };
}

type Output = ReturnType<typeof outputsOf>[number];

function asDocument(outputs: readonly Output[], { accept, returns }: ResultsWish): ShapedResults {
  if (!acceptsType(accept, 'application/json')) throw notAcceptable('application/json');
  const isWhole = returns === 'representation';
  const told = outputs.map((one) => {
    const isReference = one.isReference || (!isWhole && isLarge(one));
    return { ...one, isReference };
  });
  return { ...jsonOf(documentOf(told)), links: [PROFILE_LINK] };
}

function isLarge(output: OutputValue): boolean {
  return rawOf(output).content.byteLength > LARGE_BYTES;
}

/** As it is where that is accepted, else in JSON. */
function acceptedOf(output: OutputValue, { accept }: ResultsWish): ShapedResults {
  const own = mediaTypeOf(output);
  if (acceptsType(accept, own)) return aloneOf(output);
  const isJson = output.file === undefined && acceptsType(accept, 'application/json');
  if (!isJson) throw notAcceptable(own);
  const { value } = output;
  return jsonOf(value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value);
}
