/**
 * A list of things that are much alike, told by its first thing and those members that are not the
 * same in all. Whoever reads it makes copies of the first, which is quicker than reading each, and
 * they share what is equal.
 */
export interface Alike {
  readonly count: number;
  readonly first: PlainObject;
  readonly others: Readonly<Record<string, Column>>;
}

export type PlainObject = Readonly<Record<string, unknown>>;

/** `digits`: texts of whole numbers. JSON.parse looks up short texts in a table, but no numbers. */
export type Column =
  | { readonly each: readonly unknown[] }
  | { readonly digits: readonly number[] }
  | { readonly alike: Alike };

/** Shorter lists are not worth a comparison. */
const ALIKE_MIN = 4;

/** A list's things, and the things that are members of these: below are the words of users. */
const DEPTH_MAX = 2;

/** Members further down that are no words of users. */
const OURS: ReadonlySet<string> = new Set(['awaitedBy']);

/** JSON.parse looks up no longer texts. */
const DIGITS_MAX = 10;

/** A list that was never anything else: what makes it by the thousand has its columns at hand. */
export class AlikeList {
  readonly alike: Alike;

  constructor(alike: Alike) {
    this.alike = alike;
  }
}

/** The things themselves, where a list is told by its columns. */
export function unfolded(value: unknown): unknown {
  return value instanceof AlikeList ? thingsOf(value.alike) : value;
}

/** Null for what cannot be told in this way: things of other members, or of none. */
export function alikeOf(list: readonly unknown[], depth: number): Alike | null {
  if (list.length < ALIKE_MIN || !list.every(isPlainObject)) return null;
  const [first] = list as [PlainObject];
  const names = differing(list);
  if (names === null) return null;
  const others: Record<string, Column> = {};
  for (const name of names) {
    const each = list.map((object) => object[name]);
    // JSON has no word for it in a list.
    if (each.includes(undefined)) return null;
    const alike = depth < DEPTH_MAX || OURS.has(name) ? alikeOf(each, depth + 1) : null;
    others[name] = alike === null ? listOf(each) : { alike };
  }
  return { count: list.length, first, others };
}

/** A text is one of digits if a number becomes the same text again. */
function listOf(each: readonly unknown[]): Column {
  const digits: number[] = [];
  for (const value of each) {
    if (typeof value !== 'string' || value.length > DIGITS_MAX) return { each };
    const number = Number(value);
    if (!Number.isSafeInteger(number) || String(number) !== value) return { each };
    digits.push(number);
  }
  return { digits };
}

export function isPlainObject(value: unknown): value is PlainObject {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

/** Names of members that are not the same in all; null where not all have the same members. */
function differing(list: readonly PlainObject[]): Set<string> | null {
  const first = list[0]!;
  const names = Object.keys(first);
  const values = Object.values(first);
  const found = new Set<string>();
  for (const object of list) {
    let at = 0;
    for (const name in object) {
      if (name !== names[at]) return null;
      const value = object[name];
      if (value !== values[at] && !found.has(name) && !isSame(value, values[at])) found.add(name);
      at++;
    }
    if (at !== names.length) return null;
  }
  return found;
}

/** Of things and lists: the same in every member. Whatever else is no constant is another. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object') return false;
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && isSameList(one, other);
  }
  return isPlainObject(one) && isPlainObject(other) && isSameObject(one, other);
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  for (let at = 0; at < one.length; at++) if (!isSame(one[at], other[at])) return false;
  return true;
}

function isSameObject(one: PlainObject, other: PlainObject): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  for (const name of names) {
    if (!Object.hasOwn(other, name) || !isSame(one[name], other[name])) return false;
  }
  return true;
}

export function thingsOf({ count, first, others }: Alike): unknown[] {
  const objects = Array.from({ length: count }, () => ({ ...first }));
  for (const [name, column] of Object.entries(others)) {
    const values = valuesOf(column);
    for (let index = 0; index < count; index++) objects[index]![name] = values[index];
  }
  return objects;
}

function valuesOf(column: Column): readonly unknown[] {
  if ('each' in column) return column.each;
  return 'digits' in column ? column.digits.map(String) : thingsOf(column.alike);
}
