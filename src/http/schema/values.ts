import { type TSchema, Type } from 'typebox';
import { PHASES } from '../../core/phase.ts';

/** A time as the API writes it: RFC 3339 in UTC. */
export const Time = Type.String({ format: 'date-time', examples: ['2026-11-15T08:00:00.000Z'] });

export const Uuid = Type.String({ format: 'uuid' });

export const Name = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$' });

export const Label = Type.String({ minLength: 1, maxLength: 512 });

export const PhaseName = Type.Enum([...PHASES]);

export const Json = Type.Unknown();

export function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

/** An object that refuses members it does not know: nothing is silently dropped. */
export function closed<Members extends Record<string, TSchema>>(members: Members) {
  return Type.Object(members, { additionalProperties: false });
}
