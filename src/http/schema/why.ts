import { type Static, Type } from 'typebox';
import { REASONS } from '../../engine/limits/why.ts';
import { nullable, Time } from './values.ts';

/** Why a job is not running. */
export const WhySchema = Type.Object(
  {
    reason: Type.Enum([...REASONS]),
    message: Type.String({ description: 'One sentence for a person.' }),
    since: Time,
    until: nullable(Time),
    facts: Type.Record(Type.String(), Type.Unknown()),
  },
  { $id: 'Why', additionalProperties: false },
);

export type WhyJson = Static<typeof WhySchema>;
