import { type Static, Type } from 'typebox';
import { closed, nullable, Time } from './values.ts';

/** A provider of processes elsewhere, as the list shows it. */
export const ProviderSchema = Type.Object(
  {
    name: Type.String({ examples: ['remote'] }),
    title: nullable(Type.String()),
    url: Type.String({ description: 'Its URL, without credentials.' }),
    state: Type.Enum(['well', 'unsteady', 'failing', 'unknown'], {
      description:
        'failing: the last request failed; unsteady: some did within the window; unknown: none ' +
        'was sent by this process.',
    }),
    calls: Type.Integer({ description: 'Requests that ended within the window.' }),
    failures: Type.Integer({
      description: 'Requests without a response, with 429 or 5xx, or with an interrupted response.',
    }),
    failuresInARow: Type.Integer(),
    lastSuccessAt: nullable(Time),
    lastFailureAt: nullable(Time),
    lastFault: nullable(Type.String({ description: 'Why the last one failed.' })),
    latency: nullable(
      closed({
        p50Ms: Type.Integer(),
        p95Ms: Type.Integer(),
        p99Ms: Type.Integer(),
      }),
    ),
    leftAloneUntil: nullable(
      Type.String({
        ...Time,
        description:
          'Its processes are not listed again before this time: the last request failed.',
      }),
    ),
    isAnonymous: Type.Boolean({ description: 'Callers without a credential see its processes.' }),
    pollIntervalMs: Type.Integer(),
    jobs: Type.Record(Type.String(), Type.Integer(), {
      description: 'Its jobs that have not ended, of all tenants, by phase.',
    }),
    atLeast: Type.Array(Type.String(), {
      description: 'Phases whose count was cut off: `jobs` has a lower bound.',
    }),
  },
  { $id: 'Provider', additionalProperties: false },
);

/** An OGC provider and how it answered. */
export type ProviderJson = Static<typeof ProviderSchema>;

/** OGC providers, with the process that measured them and the time span. */
export const ProvidersSchema = closed({
  items: Type.Array(ProviderSchema),
  nextCursor: Type.Null(),
  measured: closed({
    host: Type.String(),
    pid: Type.Integer(),
    since: Time,
    windowMs: Type.Integer(),
  }),
});

/** All OGC providers and how they answered. */
export type ProvidersJson = Static<typeof ProvidersSchema>;
