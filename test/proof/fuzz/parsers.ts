// The two parsers that read what strangers send: the scan before JSON.parse, and the SSE reader.
import { PawlError } from 'pawl/internal/core/errors';
import { SeededRandom } from 'pawl/internal/core/random';
import { JSON_LIMITS, scanJson } from '@pawl/server/internal/http/json-scan';
import { readMessages, type SseMessage } from 'pawl/internal/client/sse';
import { Instances, NASTY_TEXTS } from './instances.ts';

const ANYTHING = {
  type: 'object',
  properties: { a: { type: 'string' }, b: { type: 'array', items: { type: 'object' } }, c: {} },
};

/** Every text is either refused with a reason or parses into what the limits allow. */
export function fuzzScan(seed: number, count: number): readonly string[] {
  const random = new SeededRandom(seed);
  const instances = new Instances(random, () => ANYTHING);
  const problems: string[] = [];
  for (let n = 0; n < count; n++) {
    const text = spoil(JSON.stringify(instances.of(ANYTHING)) ?? '', random);
    try {
      scanJson(text);
    } catch (error) {
      if (!(error instanceof PawlError)) problems.push(`the scan threw ${String(error)}: ${text}`);
      continue;
    }
    const value = parsed(text);
    if (depthOf(value) > JSON_LIMITS.depthMax) problems.push(`too deep: ${text.slice(0, 100)}`);
    if (hasOwn(value, '__proto__')) problems.push(`a prototype got through: ${text.slice(0, 100)}`);
  }
  return problems;
}

function spoil(text: string, random: SeededRandom): string {
  const at = random.below(text.length + 1);
  const pieces = [
    '"',
    '\\',
    '\\u005f',
    '{',
    '[',
    '"__proto__":1,',
    '\\"',
    ':',
    ',',
    ...NASTY_TEXTS,
  ];
  return random.next() < 0.3 ? text : text.slice(0, at) + random.pick(pieces) + text.slice(at);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function hasOwn(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, name) || Object.values(value).some((one) => hasOwn(one, name));
}

/** However the bytes are cut, the messages are the same, and no bytes break the reader. */
export async function fuzzStream(seed: number, count: number): Promise<readonly string[]> {
  const random = new SeededRandom(seed);
  const problems: string[] = [];
  for (let n = 0; n < count; n++) {
    const bytes = Buffer.from(streamText(random));
    if (random.next() < 0.2) bytes[random.below(Math.max(1, bytes.length))] = random.below(256);
    const whole = await messagesOf([bytes]);
    const pieces = await messagesOf(cut(bytes, random));
    if (JSON.stringify(whole) !== JSON.stringify(pieces)) {
      problems.push(`cut into pieces it reads otherwise: ${JSON.stringify(bytes.toString())}`);
    }
  }
  return problems;
}

function streamText(random: SeededRandom): string {
  const ends = ['\n', '\r\n', '\r', '\n\n', '\r\n\r\n', '\r\r'];
  const starts = ['data: ', 'data:', 'id: 1.2', 'event: x', 'retry: 5', ': hi', 'data', '\ufeff'];
  return Array.from({ length: 1 + random.below(12) }, () =>
    [random.pick(starts), random.pick(NASTY_TEXTS), random.pick(ends)].join(''),
  ).join('');
}

function cut(bytes: Buffer, random: SeededRandom): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const next = at + 1 + random.below(7);
    pieces.push(bytes.subarray(at, next));
    at = next;
  }
  return pieces;
}

async function messagesOf(chunks: readonly Uint8Array[]): Promise<SseMessage[]> {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }
  const messages: SseMessage[] = [];
  const memory = { lastEventId: null, retryMs: null };
  for await (const message of readMessages(body(), memory)) messages.push(message);
  return messages;
}
