import { PawlError } from 'pawl/define';
import { begin } from '../model/body-bytes.ts';
import { type HeaderLink, linksOfHeader, titleOf } from '../model/link-header.ts';
import type { AnsweredBody, OutputValue, ProcessResults } from '../model/process-source.ts';
import { REL } from '../model/vocabulary.ts';
import { aboutBody } from './kept-results.ts';
import type { Provider } from './provider.ts';
import { describeAnswer, wholeOf } from './provider-answer.ts';
import { type HttpClient, openAnswer } from './provider-client.ts';

/** Longer documents are not taken apart. */
const DOCUMENT_BYTES_MAX = 8 * 1024 * 1024;

/** Links about the job, not of what it gave. */
const ABOUT_JOB: ReadonlySet<string> = new Set([
  REL.monitor,
  REL.self,
  REL.status,
  REL.up,
  REL.results,
]);

interface LinkedOutput extends HeaderLink {
  readonly id: string;
}

/** The outputs that `Link` headers lead to, by their titles, or else by their numbers from 1. */
function linkedOutputs(linkHeaders: readonly string[]): LinkedOutput[] {
  const links = linkHeaders
    .flatMap(linksOfHeader)
    .filter(({ parameters }) => !ABOUT_JOB.has(parameters['rel'] ?? ''));
  const seen = new Set<string>();
  return links.map((link, index) => {
    const title = titleOf(link);
    const id = title === null || title === '' || seen.has(title) ? String(index + 1) : title;
    seen.add(id);
    return { ...link, id };
  });
}

/** Where a reference was given, and where its job is here. */
export interface Whereabouts {
  readonly provider: Provider;
  /** What relative references are relative to. */
  readonly from: string;
  /** Of the results here. */
  readonly at: string;
}

/**
 * The results with links by which their outputs can be had here: those of headers lead here, and
 * for those inside a document links are added, since its bytes stay as they are.
 */
export function withLinksHere(results: ProcessResults, where: Whereabouts): ProcessResults {
  if (results.kind === 'references') {
    const here = linkedOutputs(results.linkHeaders).filter(({ href }) => isReached(where, href));
    const linkHeaders = results.linkHeaders.map((header) =>
      here.reduce((rest, { text, id, parameters }) => {
        return rest.replace(text, () => linkTo(where, id, parameters));
      }, header),
    );
    return { ...results, linkHeaders };
  }
  if (results.kind !== 'answer' || !(results.body instanceof Uint8Array)) return results;
  const { contentType, headers = {}, body } = results;
  const members = Object.entries(membersIn(contentType, Buffer.from(body).toString()));
  const links = members.flatMap(([id, value]) => {
    const { href, type } = referenceIn(value) ?? {};
    if (href === undefined || !isReached(where, href)) return [];
    return [linkTo(where, id, { rel: 'item', ...(type === undefined ? {} : { type }) })];
  });
  if (links.length === 0) return results;
  const given = headers['link'] === undefined ? [] : [headers['link']];
  return { ...results, headers: { ...headers, link: [...given, ...links].join(', ') } };
}

/** Names and types of others may hold anything; what cannot stand in a header is left out. */
function linkTo(
  { at }: Whereabouts,
  id: string,
  { rel = 'item', type = '' }: Readonly<Record<string, string>>,
): string {
  const name = encodeURIComponent(id);
  const isType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type);
  const relation = /^[\w.:/#?&=+-]+$/.test(rel) ? rel : 'item';
  const typed = isType ? `; type="${type}"` : '';
  return `<${at}/${name}>; rel="${relation}"${typed}; title*=UTF-8''${name}`;
}

/** One output of results as a provider gave them; null where they have none of that id. */
export async function outputIn(results: ProcessResults, id: string): Promise<OutputValue | null> {
  switch (results.kind) {
    case 'outputs':
      return results.outputs[id] ?? null;
    case 'references': {
      const link = linkedOutputs(results.linkHeaders).find((one) => one.id === id);
      if (link === undefined) return null;
      return { value: null, href: link.href, ...named(link.parameters['type']) };
    }
    case 'answer': {
      const { contentType, body } = results;
      const { start, rest } = await begin(body, DOCUMENT_BYTES_MAX);
      await rest?.return?.();
      const members = rest === null ? membersIn(contentType, Buffer.from(start).toString()) : {};
      return Object.hasOwn(members, id) ? givenOf(members[id]) : null;
    }
  }
}

function membersIn(contentType: string, text: string): Readonly<Record<string, unknown>> {
  if (!/^application\/(.+\+)?json\b/i.test(contentType)) return {};
  try {
    const json: unknown = JSON.parse(text);
    const isMap = typeof json === 'object' && json !== null && !Array.isArray(json);
    return isMap ? (json as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function referenceIn(value: unknown): { href: string; type?: string } | null {
  const { href, type } = (value ?? {}) as Record<string, unknown>;
  if (typeof href !== 'string') return null;
  return { href, ...(typeof type === 'string' ? { type } : {}) };
}

function named(mediaType: string | undefined): { mediaType?: string } {
  return mediaType === undefined ? {} : { mediaType };
}

/** A reference, a qualified value, or a value as it stands. */
function givenOf(given: unknown): OutputValue {
  const reference = referenceIn(given);
  if (reference !== null) return { value: null, href: reference.href, ...named(reference.type) };
  const isQualified = typeof given === 'object' && given !== null && Object.hasOwn(given, 'value');
  if (!isQualified) return { value: given };
  const { value, mediaType, encoding } = given as Record<string, unknown>;
  const isBytes = encoding === 'base64' && typeof value === 'string';
  return {
    value: isBytes ? Buffer.from(value, 'base64') : value,
    ...named(typeof mediaType === 'string' ? mediaType : undefined),
  };
}

/** Whether the gateway goes there: an address of the provider, or one that it may lead to. */
function isReached({ provider, from }: Omit<Whereabouts, 'at'>, href: string): boolean {
  if (!URL.canParse(href, from)) return false;
  const own = [provider.url, ...provider.otherUrls].map((one) => new URL(one).origin);
  return [...own, ...provider.redirectOrigins].includes(new URL(href, from).origin);
}

/**
 * What a reference leads to, as it comes, with the gateway's credentials at the provider's own
 * addresses and without them at others that the providers file allows.
 */
export async function fetchOutput(
  http: HttpClient,
  { provider, from }: Omit<Whereabouts, 'at'>,
  href: string,
): Promise<AnsweredBody> {
  const url = URL.canParse(href, from) ? new URL(href, from) : null;
  if (url === null || !isReached({ provider, from }, href)) {
    const where = url === null ? href : url.origin + url.pathname;
    const remedy =
      url === null ? '' : `; to have it fetched, add "${url.origin}" to its redirect_origins`;
    const what = `which is not an address of the provider ${provider.name}`;
    throw new PawlError('UPSTREAM_ERROR', `the output is at ${where}, ${what}${remedy}`);
  }
  const { resultsBytesMax: bytesMax, resultsTimeoutMs: timeoutMs } = provider.settings;
  const request = { url: url.href, accept: '*/*', bytesMax, timeoutMs };
  const answer = await openAnswer(http, provider, request).catch((error: unknown) => {
    throw new PawlError('UPSTREAM_ERROR', (error as Error).message, { cause: error });
  });
  if (answer.status === 200) return { ...aboutBody(answer.headers), body: answer.body };
  const what = `the provider ${provider.name} did not give the output`;
  const said = `it answered ${describeAnswer(await wholeOf(answer))}`;
  throw new PawlError('UPSTREAM_ERROR', `${what}: ${said}`);
}
