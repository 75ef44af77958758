import { jsonBytes, keptText, textCost } from './kept-text.ts';
import { HIDDEN, isSecretName, withoutSecrets } from './redact.ts';
import { boundedText, textOf, utf8Bytes } from './text.ts';

const DEPTH_MAX = 8;
const NODES_MAX = 2_000;
const NAME_BYTES_MAX = 128;
/** Kept back for the marks of what was left out, and for brackets. */
const MARKS_BYTES = 256;

const UNREADABLE = '[cannot be read]';
const REPEATED = '[…]';
const MORE = '…';
const MARK = /^(?:… \d+|\d+ members) more$/;

/** Names that reach for a prototype are refused at the API's door, so they are not sent there. */
const UNSAFE_NAMES: ReadonlySet<string> = new Set(['__proto__', 'prototype']);

/**
 * What can be said of a value as JSON within so many bytes: without secrets, without what stores
 * refuse, cycles and getters that throw included. It never throws, whatever the value is; what is
 * left out is counted in its place. Undefined where JSON has nothing to say.
 */
export function plainValue(value: unknown, bytesMax: number): unknown {
  const copy = new Copier(bytesMax - MARKS_BYTES).copy(value, []);
  if (copy === undefined || jsonBytes(copy) <= bytesMax) return copy;
  return typeof copy === 'string' && textCost(copy) <= bytesMax ? copy : MORE;
}

class Copier {
  #bytesLeft: number;
  #nodesLeft = NODES_MAX;

  constructor(bytesMax: number) {
    this.#bytesLeft = bytesMax;
  }

  copy(value: unknown, above: readonly object[]): unknown {
    this.#nodesLeft -= 1;
    try {
      return typeof value === 'object' && value !== null
        ? this.#object(value, above)
        : this.#primitive(value);
    } catch {
      return this.#text(UNREADABLE);
    }
  }

  #primitive(value: unknown): unknown {
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'bigint':
        return this.#text(String(value));
      case 'number':
        return Number.isFinite(value) ? this.#spend(value) : this.#text(String(value));
      case 'boolean':
        return this.#spend(value);
      default:
        return value === null ? this.#spend(value) : undefined;
    }
  }

  #object(value: object, above: readonly object[]): unknown {
    if (above.includes(value) || above.length >= DEPTH_MAX) return this.#text(REPEATED);
    if (ArrayBuffer.isView(value)) return this.#text(`[${value.byteLength} bytes]`);
    const within = [...above, value];
    if (value instanceof Map || value instanceof Set) return this.#array([...value], within);
    if (Array.isArray(value)) return this.#array(value, within);
    if (value instanceof Error) return this.#members(value, within, ['name', 'message']);
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON !== 'function') return this.#members(value, within);
    const told: unknown = Reflect.apply(toJSON, value, []);
    // As JSON.stringify does it: what it says is taken as it is, and not asked again.
    if (typeof told !== 'object' || told === null) return this.#primitive(told);
    return Array.isArray(told) ? this.#array(told, within) : this.#members(told, within);
  }

  #array(values: readonly unknown[], above: readonly object[]): unknown {
    const copies: unknown[] = [];
    for (let at = 0; at < values.length; at++) {
      const value = read(values, at);
      if (this.#isSpent && !isMark(value)) {
        copies.push(`${MORE} ${values.length - at} more`);
        break;
      }
      copies.push(isMark(value) ? value : (this.copy(value, above) ?? null));
      this.#bytesLeft -= 1;
    }
    return copies;
  }

  #members(value: object, above: readonly object[], first: readonly string[] = []): unknown {
    const names = [...new Set([...first, ...Object.keys(value)])];
    const copies: [string, unknown][] = [];
    for (const [at, name] of names.entries()) {
      if (this.#isSpent && name !== MORE) {
        copies.push([MORE, `${names.length - at} members more`]);
        break;
      }
      const copy = this.#member(value, name, above);
      if (copy === undefined) continue;
      const told = boundedName(name);
      this.#bytesLeft -= jsonBytes(told) + 2;
      copies.push([UNSAFE_NAMES.has(told) ? `[${told}]` : told, copy]);
    }
    return Object.fromEntries(copies);
  }

  /** Marks are never cut: in a copy of the copy, what is left of one would be taken for a value. */
  #member(value: object, name: string, above: readonly object[]): unknown {
    if (isSecretName(name)) return this.#spend(HIDDEN);
    const member = read(value, name);
    return name === MORE && isMark(member) ? this.#spend(member) : this.copy(member, above);
  }

  get #isSpent(): boolean {
    return this.#bytesLeft <= 0 || this.#nodesLeft <= 0;
  }

  #text(text: string): string {
    const max = Math.max(0, this.#bytesLeft);
    const kept = keptText(text, { bytesMax: max, jsonBytesMax: max });
    this.#bytesLeft -= textCost(kept);
    return kept;
  }

  #spend<Value>(value: Value): Value {
    this.#bytesLeft -= textOf(value).length;
    return value;
  }
}

/** A name that is too long is cut visibly: another one may begin as it does. */
function boundedName(name: string): string {
  const near = withoutSecrets(name.slice(0, NAME_BYTES_MAX));
  return boundedText(near, NAME_BYTES_MAX, utf8Bytes(name.slice(NAME_BYTES_MAX)));
}

/** Of a copy that is copied again: what stands for items that were left out stays as it is. */
function isMark(value: unknown): boolean {
  return typeof value === 'string' && MARK.test(value);
}

/** A member of a value that may be hostile. */
function read(value: object, name: PropertyKey): unknown {
  try {
    return Reflect.get(value, name);
  } catch {
    return UNREADABLE;
  }
}
