import { type Static, Type } from 'typebox';
import { closed, Name, nullable, text, Time, Uuid } from './values.ts';

/** A worker as the list shows it. */
export const WorkerSchema = Type.Object(
  {
    id: Name,
    host: nullable(Type.String({ description: 'Null where the worker did not say.' })),
    pid: nullable(Type.Integer()),
    version: nullable(Type.String()),
    types: Type.Array(Name, { description: 'The types whose jobs it takes.' }),
    slots: nullable(Type.Integer({ description: 'The most jobs that it runs at a time.' })),
    busy: Type.Integer({ description: "How many of the caller's jobs it owns." }),
    leases: Type.Array(Uuid, { description: 'Those jobs, 100 of them at most.' }),
    startedAt: Time,
    lastBeatAt: Time,
    state: Type.Enum(['working', 'draining', 'silent'], {
      description:
        'silent: not heard of for 30 s. Whether its jobs are lost is decided by their leases.',
    }),
  },
  { $id: 'Worker', additionalProperties: false },
);

export type WorkerJson = Static<typeof WorkerSchema>;

/** What a worker may say of itself. */
export const WorkerBody = closed({
  types: Type.Array(Name, { maxItems: 256 }),
  host: Type.Optional(text(255, 1)),
  pid: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
  version: Type.Optional(text(64, 1)),
  slots: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  state: Type.Optional(
    Type.Enum(['working', 'draining', 'stopped'], {
      default: 'working',
      description: 'stopped takes the worker off the list.',
    }),
  ),
});

export type WorkerBodyJson = Static<typeof WorkerBody>;

/** How a worker is named in an address. */
export const WorkerParams = closed({ name: Name });
