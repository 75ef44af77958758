import { type TSchema, Type } from 'typebox';
import { PHASES } from '../core/phase.ts';
import { REVISION_FAULT, REVISION_PATTERN } from '../core/revision.ts';

/** No time of a job lies before the clock of computers begins. */
const FROM_1970 = '^(?:19[7-9]\\d|[2-9]\\d{3})-';

/** A time as the API writes it: RFC 3339 in UTC. */
export const Time = Type.String({
  format: 'date-time',
  pattern: FROM_1970,
  examples: ['2026-11-15T08:00:00.000Z'],
});

/** The schema of an id. */
export const Uuid = Type.String({
  format: 'uuid',
  examples: ['019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9e'],
});

export const Name = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$',
  fault: 'must be 1 to 128 letters, digits or . _ : / -',
});

/** What code a handler is, by the name that its author gave it. */
export const RevisionName = Type.String({ pattern: REVISION_PATTERN, fault: REVISION_FAULT });

/** Neither U+0000 nor half of a surrogate pair; JSON Schema reads patterns by code point. */
export const STORABLE = '^[^\\u0000\\ud800-\\udfff]*$';

/** Free text that every database can keep. */
export function text(lengthMax: number, lengthMin = 0) {
  const size = lengthMin === 0 ? `at most ${lengthMax}` : `${lengthMin} to ${lengthMax}`;
  return Type.String({
    ...(lengthMin === 0 ? {} : { minLength: lengthMin }),
    maxLength: lengthMax,
    pattern: STORABLE,
    fault:
      `must be a text of ${size} characters, without U+0000 and without halves of surrogate ` +
      'pairs',
  });
}

/** Free text that is shown to people: too long or unstorable, it is mended and not refused. */
export function shown(bytesMax: number, lengthMin = 0) {
  return Type.String({
    ...(lengthMin === 0 ? {} : { minLength: lengthMin }),
    description:
      `Cut visibly beyond ${bytesMax.toLocaleString('en-US')} bytes; U+FFFD stands for U+0000 ` +
      'and for halves of surrogate pairs.',
  });
}

export const Label = text(512, 1);

export const PhaseName = Type.Enum([...PHASES], {
  description: "The engine's name for the state of a job, the same for every lifecycle.",
});

export const Json = Type.Unknown({ description: 'Any JSON; the platform does not read it.' });

/** A schema of a value or null. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

/** An object schema that refuses unknown members. */
export function closed<Members extends Record<string, TSchema>>(members: Members) {
  return Type.Object(members, { additionalProperties: false });
}

/** The same under a name: clients made from the OpenAPI document call it so. */
export function named<Members extends Record<string, TSchema>>(name: string, members: Members) {
  return Type.Object(members, { $id: name, additionalProperties: false });
}

/** An answer without a body. */
export function nothing(description: string) {
  return Type.Undefined({ description });
}

export const PAGE_MAX = 500;
export const PAGE_DEFAULT = 50;

/** Where a page begins, for lists whose cursors are written alike. */
export function cursorOf(pattern: string) {
  return Type.String({
    minLength: 1,
    maxLength: 200,
    pattern,
    fault: 'must be a `nextCursor` of this list',
    description: 'The `nextCursor` of a page.',
  });
}

/** Query parameters of every list. */
export const PAGING = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_MAX,
      default: PAGE_DEFAULT,
      description: 'Number of items in a page.',
    }),
  ),
  cursor: Type.Optional(cursorOf(STORABLE)),
};

/** The same, where a cursor is of a form that can be told. */
export function pagedBy<Cursor extends TSchema>(cursor: Cursor) {
  return { limit: PAGING.limit, cursor: Type.Optional(cursor) };
}

/** One page of a list; `nextCursor` is null on the last one. */
export function pageOf<Item extends TSchema>(item: Item) {
  return closed({ items: Type.Array(item), nextCursor: nullable(Type.String()) });
}
