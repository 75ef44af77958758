// The places of a request's body where a text, a number or a name of the sender's choice can be.

/** Any JSON, with one field of each sort in it. */
export const ANY_JSON = { $name: true, text: 'text', numbers: [1] };

const NAME = '$name';

/** The name of a member where only names that fit a pattern can stand. */
export const FIT_NAME = 'fit-name';

/** A place in a body: the names and numbers of members on the way to it. */
export interface Field {
  readonly sort: 'text' | 'number' | 'name';
  readonly path: readonly string[];
  /** The JSON pointer; that of a name is the place of what is named. */
  readonly pointer: string;
}

export function pointerOf(path: readonly string[]): string {
  return path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** All of them in a body that names every member it can have. */
export function fieldsOf(body: unknown, path: readonly string[] = []): Field[] {
  const pointer = pointerOf(path);
  if (path.at(-1) === NAME) return [{ sort: 'name', path, pointer }];
  if (typeof body === 'string') return [{ sort: 'text', path, pointer }];
  if (typeof body === 'number') return [{ sort: 'number', path, pointer }];
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, member]) => fieldsOf(member, [...path, name]));
}

const HERE = 'a place that no text has: 7d1f';

/** The body as JSON text, with a value, as its sender writes it, in a field of it. */
export function planted(body: unknown, { path, sort }: Field, json: string): string {
  // Not by structuredClone, in which one object at two places stays one.
  const copy = JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
  const last = path.at(-1)!;
  let owner = copy;
  for (const part of path.slice(0, -1)) owner = owner[part] as typeof owner;
  if (sort === 'name') {
    delete owner[last];
    owner[HERE] = true;
  } else {
    owner[last] = HERE;
  }
  return JSON.stringify(copy).replace(`"${HERE}"`, () => json);
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Where the schema of a body asks for a text, a number or any JSON, as pointers. */
export function askedBy(
  schema: Schema,
  shared: Readonly<Record<string, Schema>>,
  pointer = '',
): string[] {
  const { $ref, type, properties, patternProperties = {}, items } = schema;
  const { enum: values, anyOf, oneOf = anyOf } = schema;
  const within = (part: Schema, at: string): string[] => askedBy(part, shared, at);
  if ($ref !== undefined) return within(shared[$ref.split('/').at(-1)!]!, pointer);
  if (values !== undefined) return [];
  if (oneOf !== undefined) return oneOf.flatMap((one) => within(one, pointer));
  if (items !== undefined) return within(items, `${pointer}/0`);
  if (properties !== undefined) {
    return Object.entries(properties).flatMap(([name, part]) => within(part, `${pointer}/${name}`));
  }
  const [member] = Object.values(patternProperties);
  const hasForm = member?.properties ?? member?.anyOf ?? member?.type;
  if (member !== undefined && hasForm !== undefined)
    return within(member, `${pointer}/${FIT_NAME}`);
  const isOwn = type === 'string' || type === 'number' || type === 'integer';
  if (isOwn) return [pointer];
  const isAny = type === undefined ? !('const' in schema) : type === 'object';
  return isAny ? [`${pointer}/text`, `${pointer}/numbers/0`, `${pointer}/${NAME}`] : [];
}
