import type { Job } from 'pawl/define';
import type { AnsweredBody, OutputValue, ProcessResults } from '../model/process-source.ts';
import { type ExecutionRecord, recordIn } from './execution-record.ts';
import { WITHOUT_RIGHTS } from './negotiate.ts';
import { multipartOf, type Part } from './multipart.ts';

/** Results in the shape that was asked for, to be sent. */
export interface ShapedResults {
  readonly status: 200 | 204;
  readonly contentType: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | null;
  /** Of a body that is streamed. */
  readonly size?: number;
  /** One `Link` header an output that is given by reference. */
  readonly links: readonly string[];
}

/** Results on their way out, with what else there is to say; links come together as one header. */
export function answerWith(
  { status, contentType, headers, body, size, links }: ShapedResults,
  more: Readonly<Record<string, string>> = {},
): Response {
  const { link, ...others } = { link: undefined, ...headers };
  const all = [...(link === undefined ? [] : [link]), ...links];
  const isStream = body !== null && !(body instanceof Uint8Array);
  return new Response(isStream ? ReadableStream.from(body) : body, {
    status,
    headers: {
      ...others,
      ...more,
      ...(all.length > 0 ? { link: all.join(', ') } : {}),
      ...(size === undefined ? {} : { 'content-length': String(size) }),
      ...(contentType === null ? {} : { ...WITHOUT_RIGHTS, 'content-type': contentType }),
    },
  });
}

/** Shown with the results of a job that no execution made: all of it, as one document. */
const AS_DOCUMENT: Omit<ExecutionRecord, 'base'> = { response: 'document', outputs: {} };

interface Output extends OutputValue {
  readonly id: string;
  /** Where the value can be had by itself. */
  readonly at: string;
  readonly isReference: boolean;
}

/** The table of the standard: raw or document, by value or by reference, one output or several. */
export function shapeResults(results: ProcessResults, job: Job, base: string): ShapedResults {
  const { response } = recordIn(job) ?? AS_DOCUMENT;
  if (results.kind === 'answer') {
    const { kind: _, ...answered } = results;
    return { status: 200, links: [], ...answered };
  }
  if (results.kind === 'references') return referencesOnly(results.linkHeaders);
  const outputs = outputsOf(results.outputs, job, { base, isRaw: response === 'raw' });
  if (response === 'document') return jsonOf(documentOf(outputs));
  if (outputs.length > 0 && outputs.every(({ isReference }) => isReference)) {
    return referencesOnly(outputs.map(linkOf));
  }
  const [first] = outputs;
  if (outputs.length === 1 && first !== undefined) return aloneOf(first);
  return { status: 200, ...multipartOf(outputs.map(partOf)), links: [] };
}

/** All results as one JSON object, whatever was asked for: for pages and callbacks. */
export function documentIn(results: ProcessResults, job: Job, base: string): object | null {
  if (results.kind !== 'outputs') return null;
  return documentOf(outputsOf(results.outputs, job, { base, isRaw: false }));
}

/** One output by itself, in its own media type; null where the results have none of that id. */
export function oneOutput(results: ProcessResults, id: string): ShapedResults | null {
  const isThere = results.kind === 'outputs' && Object.hasOwn(results.outputs, id);
  return isThere ? shapeOutput(results.outputs[id]!) : null;
}

export function shapeOutput(output: OutputValue | AnsweredBody | null): ShapedResults | null {
  if (output === null) return null;
  if ('body' in output) return { status: 200, links: [], ...output };
  return aloneOf(output);
}

export function aloneOf(output: OutputValue): ShapedResults {
  const { file } = output;
  const contentType = mediaTypeOf(output);
  if (file !== undefined) return { status: 200, contentType, ...file, links: [] };
  return { status: 200, contentType, body: rawOf(output).content, links: [] };
}

export function referencesOnly(links: readonly string[]): ShapedResults {
  return { status: 204, contentType: null, body: null, links };
}

export function jsonOf(value: unknown): ShapedResults {
  const body = Buffer.from(JSON.stringify(value));
  return { status: 200, contentType: 'application/json', body, links: [] };
}

/** Those that were asked for, all where none is named. */
export function outputsOf(
  given: Readonly<Record<string, OutputValue>>,
  job: Job,
  { base, isRaw }: { base: string; isRaw: boolean },
): readonly Output[] {
  const { outputs: asked } = recordIn(job) ?? AS_DOCUMENT;
  const named = Object.keys(asked).length > 0;
  const shown = Object.entries(given).filter(([id]) => !named || Object.hasOwn(asked, id));
  const isAlone = isRaw && shown.length === 1;
  return shown.map(([id, output]) => {
    const here = `${base}/jobs/${job.id}/results/${encodeURIComponent(id)}`;
    const { href } = output;
    const at = href === undefined ? here : new URL(href, `${base}/`).href;
    const isElsewhere = href !== undefined || (output.file !== undefined && !isAlone);
    const isReference = isElsewhere || asked[id]?.transmissionMode === 'reference';
    return { ...output, id, at, isReference };
  });
}

export function mediaTypeOf({ value, mediaType }: OutputValue): string {
  if (mediaType !== undefined) return mediaType;
  if (value instanceof Uint8Array) return 'application/octet-stream';
  return typeof value === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
}

export function rawOf(output: OutputValue): { contentType: string; content: Uint8Array } {
  const { value } = output;
  const contentType = mediaTypeOf(output);
  if (value instanceof Uint8Array) return { contentType, content: value };
  const isText = typeof value === 'string' && contentType !== 'application/json';
  return { contentType, content: Buffer.from(isText ? value : JSON.stringify(value ?? null)) };
}

function partOf(output: Output): Part {
  const { id, at, isReference } = output;
  if (isReference) {
    return { id, contentType: mediaTypeOf(output), content: null, location: at };
  }
  return { id, ...rawOf(output) };
}

function linkOf(output: Output): string {
  const type = mediaTypeOf(output).split(';')[0];
  const title = encodeURIComponent(output.id);
  return `<${output.at}>; rel="item"; type="${type}"; title*=UTF-8''${title}`;
}

/** Objects and bytes are qualified values; an output without a value is left out. */
export function documentOf(outputs: readonly Output[]): Record<string, unknown> {
  const told = outputs.flatMap((output): [string, unknown][] => {
    const { id, value, mediaType, at, isReference } = output;
    if (isReference) return [[id, { href: at, type: mediaTypeOf(output).split(';')[0] }]];
    if (value === null || value === undefined) return [];
    const qualifier = mediaType === undefined ? {} : { mediaType };
    if (value instanceof Uint8Array) {
      const text = Buffer.from(value).toString('base64');
      return [[id, { value: text, encoding: 'base64', ...qualifier }]];
    }
    const isPlain = typeof value !== 'object' || Array.isArray(value);
    return [[id, isPlain && mediaType === undefined ? value : { value, ...qualifier }]];
  });
  return Object.fromEntries(told);
}
