import { type Static, Type } from 'typebox';
import { closed, Json, nullable, PhaseName } from './values.ts';

const PlaceSchema = closed({ state: Type.String(), phase: PhaseName });

/** A lifecycle as its table. */
export const LifecycleSchema = Type.Object(
  {
    name: Type.String(),
    version: Type.Integer(),
    initial: PlaceSchema,
    places: Type.Array(PlaceSchema),
    transitions: Type.Array(
      Type.Object({
        on: Type.String(),
        from: PlaceSchema,
        to: PlaceSchema,
        when: nullable(Type.String()),
        quiet: Type.Boolean(),
        countsRetry: Type.Boolean(),
      }),
    ),
    defaults: Json,
  },
  { $id: 'Lifecycle' },
);

export type LifecycleJson = Static<typeof LifecycleSchema>;
