// Requests for every operation of an OpenAPI document, most of them wrong in some way.
import { gzipSync } from 'node:zlib';
import type { SeededRandom } from 'pawl/internal/core/random';
import { type Instances, NASTY_TEXTS, type Schema } from './instances.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface Described {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema?: Schema }> };
  readonly responses: Readonly<Record<string, unknown>>;
}

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly described: Described;
}

export interface ApiDocument {
  readonly paths: Record<string, Record<string, Described>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

export function operationsOf({ paths }: ApiDocument): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      method: method.toUpperCase(),
      path,
      described,
    })),
  );
}

export interface FuzzRequest {
  readonly operation: Operation;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/** Characters that no HTTP client would send; the rest of the mischief stays. */
function asHeader(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e]/g, '?');
}

export function requestOf(
  operation: Operation,
  instances: Instances,
  random: SeededRandom,
): FuzzRequest {
  const { parameters = [], requestBody } = operation.described;
  const value = ({ schema = {} }: Parameter): string =>
    random.next() < 0.15 ? random.pick(NASTY_TEXTS) : textOf(instances.of(schema));
  let url = operation.path;
  const query: string[] = [];
  const headers: Record<string, string> = {};
  for (const parameter of parameters) {
    const { name, required = false } = parameter;
    if (parameter.in === 'path') url = url.replace(`{${name}}`, encoded(value(parameter)) || 'x');
    else if (!required && random.next() < 0.6) continue;
    else if (parameter.in === 'query') query.push(`${name}=${encoded(value(parameter))}`);
    else headers[name] = asHeader(value(parameter)).slice(0, 4_000);
  }
  if (random.next() < 0.1) query.push(`${encoded(random.pick(NASTY_TEXTS))}=1`);
  if (random.next() < 0.1) headers['accept'] = random.pick(['text/event-stream', '*/*', 'x/y', '']);
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const body = type === undefined ? null : bodyOf(instances, media?.schema ?? {}, random);
  if (type !== undefined) headers['content-type'] = type;
  if (body !== null && random.next() < 0.05) headers['content-type'] = random.pick(WRONG_TYPES);
  const packed = body !== null && random.next() < 0.03;
  if (packed) headers['content-encoding'] = 'gzip';
  const text = query.length === 0 ? url : `${url}?${query.join('&')}`;
  return { operation, url: text, headers, body: packed ? gzipSync(body) : body };
}

const WRONG_TYPES = ['text/plain', 'application/xml', 'application/json; charset=utf-16', 'x', ''];

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%25', '%');
}

/** Bodies that fit, and the ways in which bytes on the wire do not. */
function bodyOf(instances: Instances, schema: Schema, random: SeededRandom): Buffer {
  const text = JSON.stringify(instances.of(schema)) ?? '';
  const dice = random.next();
  if (dice < 0.8) return Buffer.from(text);
  const spoiled: readonly (() => string | Buffer)[] = [
    () => text.slice(0, random.below(text.length + 1)),
    () => `${text}${text}`,
    () => '['.repeat(1 + random.below(10_000)),
    () => `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`,
    () => text.replace('{', '{"__proto__":{"isBad":true},'),
    () => text.replace('{', '{"type":"a","type":"b",'),
    () => `{"input":"${'x'.repeat(300_000)}"}`,
    () => `{${Array.from({ length: 10_100 }, (_, n) => `"k${n}":1`).join()}}`,
    () => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0xfe, 0x80])]),
    () => Buffer.from(text, 'utf16le'),
    () => `\ufeff${text}`,
    () => 'NaN',
    () => '',
    () => JSON.stringify(instances.nasty()) ?? '',
  ];
  return Buffer.from(random.pick(spoiled)());
}
