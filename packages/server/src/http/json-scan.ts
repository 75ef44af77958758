import { PawlError } from 'pawl/internal/core/errors';

/** What a body may be made of, looked at before it is parsed. */
export interface JsonLimits {
  readonly depthMax: number;
  readonly keysMax: number;
  readonly stringMax: number;
}

export const JSON_LIMITS: JsonLimits = { depthMax: 64, keysMax: 10_000, stringMax: 262_144 };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** What is open at some point of the text: `at` is the name or the number of its member. */
interface Open {
  readonly name: string | number | null;
  /** Null for an array. */
  readonly keys: Set<string> | null;
  at: string | number;
}

function refuse(message: string, pointer = ''): never {
  throw new PawlError('VALIDATION_ERROR', message, { faults: [{ pointer, message }] });
}

/**
 * Refuses what a parser would take without a word: a text nested too deep, too many members, too
 * long strings, a member given twice, and names that reach for a prototype. Whether the text is
 * JSON at all is left to the parser, which comes next.
 */
export function scanJson(text: string, limits: JsonLimits = JSON_LIMITS): void {
  const open: Open[] = [];
  let keys = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (open.length >= limits.depthMax) {
        refuse(`is nested deeper than ${limits.depthMax} levels`);
      }
      const name = open.at(-1)?.at ?? null;
      const isObject = code === OPEN_BRACE;
      open.push(isObject ? { name, keys: new Set(), at: '' } : { name, keys: null, at: 0 });
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      open.pop();
    } else if (code === COMMA) {
      passItem(open.at(-1));
    } else if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end - at > limits.stringMax) {
        const place = pointerOf(open) || 'the body';
        const message = `${place} has a text longer than ${limits.stringMax} characters`;
        throw new PawlError('PAYLOAD_TOO_LARGE', message);
      }
      if (open.at(-1)?.keys && isKey(text, end)) {
        if (++keys > limits.keysMax) refuse(`has more than ${limits.keysMax} members`);
        enter(keyText(text, at, end), open);
      }
      at = end;
    }
  }
}

/** The place of the closing quote, or the end of a text that has none. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH && quote - 1 - slashes > start) {
      slashes++;
    }
    if (slashes % 2 === 0) return quote;
    at = quote + 1;
  }
}

function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === COLON;
}

function keyText(text: string, start: number, end: number): string {
  const plain = text.slice(start + 1, end);
  if (!plain.includes('\\')) return plain;
  try {
    return String(JSON.parse(`"${plain}"`));
  } catch {
    return plain;
  }
}

function passItem(owner: Open | undefined): void {
  if (owner?.keys === null) owner.at = Number(owner.at) + 1;
}

function enter(key: string, open: readonly Open[]): void {
  const owner = open.at(-1)!;
  owner.at = key;
  if (key === '__proto__' || (key === 'prototype' && owner.name === 'constructor')) {
    refuse('is a name that is not allowed', pointerOf(open));
  }
  if (owner.keys!.has(key)) refuse('is given twice', pointerOf(open));
  owner.keys!.add(key);
}

function pointerOf(open: readonly Open[]): string {
  return open
    .map(({ at }) => `/${String(at).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}
