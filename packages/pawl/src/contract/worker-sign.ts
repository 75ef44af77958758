import { type Static, Type } from 'typebox';
import { JobSchema } from './job.ts';
import { closed, Name, nullable, RevisionName, text, Time, Uuid } from './values.ts';

/** The code that a worker has, by type. */
export const RevisionsSchema = Type.Record(
  Name,
  closed({
    name: RevisionName,
    pin: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Only workers of this revision continue jobs that it has started.',
      }),
    ),
  }),
  {
    maxProperties: 256,
    additionalProperties: false,
    description:
      'The revision of the handler, by type. A job keeps the first revision that it is claimed ' +
      'with.',
    examples: [{ checkout: { name: 'v3', pin: true } }],
  },
);

const WORKER = {
  id: Name,
  host: nullable(
    Type.String({
      description:
        'Null where the worker did not say, and for workers of the platform itself except to ' +
        'credentials of its own tenant.',
    }),
  ),
  pid: nullable(Type.Integer()),
  version: nullable(Type.String()),
  types: Type.Array(Name, { description: 'The types whose jobs it takes.' }),
  revisions: Type.Optional(RevisionsSchema),
  slots: nullable(Type.Integer({ description: 'Maximum number of jobs that it runs at once.' })),
  busy: Type.Integer({ description: "Number of the caller's jobs that it owns." }),
  leases: Type.Array(Uuid, { description: 'The ids of these jobs, at most 100.' }),
  startedAt: Time,
  lastBeatAt: Time,
  state: Type.Enum(['working', 'draining', 'silent'], {
    description: 'silent: not seen for 30 s. Whether its jobs are lost is decided by their leases.',
  }),
  isShared: Type.Optional(Type.Boolean({ description: 'It claims jobs of every tenant.' })),
  isDrainAsked: Type.Optional(
    Type.Boolean({ description: 'It was asked to finish its jobs and stop.' }),
  ),
};

/** A worker as the list shows it. */
export const WorkerSchema = Type.Object(WORKER, { $id: 'Worker', additionalProperties: false });

/** A worker with the jobs that it has. */
export const OneWorkerSchema = closed({ ...WORKER, jobs: Type.Array(JobSchema) });

export type OneWorkerJson = Static<typeof OneWorkerSchema>;

/** What a worker is told when it has said how it is. */
export const SignAnswerSchema = closed({
  isDrainAsked: Type.Boolean({ description: 'It is asked to finish its jobs and stop.' }),
});

export type WorkerJson = Static<typeof WorkerSchema>;

/** What a worker may say of itself. */
export const WorkerBody = closed({
  types: Type.Array(Name, { maxItems: 256 }),
  host: Type.Optional(text(255, 1)),
  pid: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
  version: Type.Optional(text(64, 1)),
  revisions: Type.Optional(RevisionsSchema),
  slots: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  state: Type.Optional(
    Type.Enum(['working', 'draining', 'stopped'], {
      default: 'working',
      description: 'stopped removes the worker from the list.',
    }),
  ),
});

export type WorkerBodyJson = Static<typeof WorkerBody>;

/** How a worker is named in an address. */
export const WorkerParams = closed({ name: Name });
