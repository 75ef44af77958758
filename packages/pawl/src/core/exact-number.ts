/** A number in JSON text that a double cannot represent, and its place. */
export interface InexactNumber {
  readonly pointer: string;
  readonly text: string;
}

/** So many digits every double gives back as they were. */
const DIGITS_SAFE = 15;
/** The most that `toPrecision` takes. */
const DIGITS_MAX = 100;

/** A decimal number by its digits, without zeros at either end, and the power of the first one. */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

function decimalOf(text: string): Decimal {
  const [mantissa = '', power = '0'] = text.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = whole + fraction;
  const digits = all.replace(/^0+/, '');
  const leading = all.length - digits.length;
  const exponent = digits === '' ? 0 : Number(power) + whole.length - leading;
  return { digits: digits.replace(/0+$/, ''), exponent };
}

function isSame(one: Decimal, other: Decimal): boolean {
  return one.digits === other.digits && one.exponent === other.exponent;
}

/**
 * True of a JSON number that is the same after a round trip through a double: either as it is
 * written again, or told with as many digits as were sent.
 */
export function isExactNumber(text: string): boolean {
  if (text.length <= DIGITS_SAFE && !/e/i.test(text)) return true;
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  const sent = decimalOf(text);
  if (isSame(sent, decimalOf(String(value)))) return true;
  const count = sent.digits.length;
  if (value === 0 || count <= DIGITS_SAFE || count > DIGITS_MAX) return false;
  return isSame(sent, decimalOf(value.toPrecision(count)));
}

/** What a number must look like to be worth a closer look; strings may look so too. */
const SUSPECT = /(?:^|[[,:\s])-?(?:\d{16}|[\d.]{17}|[\d.]+e)/i;

const NUMBER = /-?\d[\d.]*(?:e[+-]?\d+)?/iy;

/** A container that is open at some point of the text: the name or the number of its member. */
interface Open {
  readonly isArray: boolean;
  at: string | number;
}

/** The first number of a JSON text that a double cannot represent, or null. */
export function inexactNumberIn(json: string): InexactNumber | null {
  if (!SUSPECT.test(json)) return null;
  const open: Open[] = [];
  for (let at = 0; at < json.length; at++) {
    const char = json[at]!;
    if (char === '{') open.push({ isArray: false, at: '' });
    else if (char === '[') open.push({ isArray: true, at: 0 });
    else if (char === '}' || char === ']') open.pop();
    else if (char === ',') passItem(open.at(-1));
    else if (char === '"') at = passString(json, at, open.at(-1));
    else if (char === '-' || (char >= '0' && char <= '9')) {
      NUMBER.lastIndex = at;
      const [text = char] = NUMBER.exec(json) ?? [];
      if (!isExactNumber(text)) return { pointer: pointerOf(open), text };
      at += text.length - 1;
    }
  }
  return null;
}

function passItem(container: Open | undefined): void {
  if (container?.isArray) container.at = Number(container.at) + 1;
}

/** The place of the closing quote. A string before a colon is the name of a member. */
function passString(json: string, start: number, container: Open | undefined): number {
  let end = start + 1;
  while (end < json.length && json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
  if (container && !container.isArray && /^\s*:/.test(json.slice(end + 1, end + 64))) {
    container.at = nameIn(json.slice(start, end + 1));
  }
  return end;
}

function nameIn(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}

function pointerOf(open: readonly Open[]): string {
  return open
    .map(({ at }) => `/${String(at).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

const SHOWN_MAX = 40;

/** The message for a number that JSON cannot carry exactly. */
export function inexactFault(text: string): string {
  const shown = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
  return `${shown} is not the same after a round trip through a double: send it as a string`;
}

/**
 * Where in a value a number is that JSON has no word for (NaN, Infinity) and would write as null,
 * as a JSON pointer; null for almost all.
 */
export function untellableNumberAt(value: unknown, json: string): string | null {
  return json.includes('null') ? search(value) : null;
}

function search(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : '';
  if (typeof value !== 'object' || value === null) return null;
  if ('toJSON' in value && typeof value.toJSON === 'function') return null;
  for (const [name, member] of Object.entries(value)) {
    const found = search(member);
    if (found !== null) return `${pointerOf([{ isArray: false, at: name }])}${found}`;
  }
  return null;
}
