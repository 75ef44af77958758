import { type Static, Type } from 'typebox';
import { SCOPES } from './role.ts';
import { closed, nullable } from './values.ts';

/** Who asks, as the platform sees it: what a page needs to show what is allowed. */
export const MeSchema = Type.Object(
  {
    tenant: Type.String(),
    isHome: Type.Boolean({ description: 'Of the tenant that runs the platform.' }),
    principal: nullable(Type.String({ description: 'Null if no credentials are required.' })),
    groups: Type.Array(Type.String()),
    reach: Type.Enum(['tenant', 'own', 'guest'], {
      description: 'Whose jobs are seen: all of the tenant, or the own and the shared ones.',
    }),
    scopes: Type.Array(Type.Enum([...SCOPES])),
    expiresAt: nullable(Type.String({ format: 'date-time' })),
  },
  { $id: 'Me', additionalProperties: false },
);

export type MeJson = Static<typeof MeSchema>;

const Count = Type.Integer({ minimum: 0 });

/** What one tenant uses at this moment. */
export const UsageSchema = Type.Object(
  {
    tenant: Type.String(),
    phases: Type.Record(Type.String(), Count, {
      description: 'Jobs that have not ended, by phase.',
    }),
    atLeast: Type.Array(Type.String(), {
      description: 'Phases whose count was cut off.',
    }),
    inFlight: Type.Integer({ description: 'Jobs that a worker has.' }),
    oldestReadyAt: nullable(Type.String({ format: 'date-time' })),
    types: Type.Array(
      closed({ type: Type.String(), count: Count, inFlight: Count, isAtLeast: Type.Boolean() }),
      { description: 'The types that most of these jobs have, at most 20.' },
    ),
  },
  { $id: 'Usage', additionalProperties: false },
);

export type UsageJson = Static<typeof UsageSchema>;
