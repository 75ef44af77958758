// The routes of those who ask for jobs, with bodies that name all members that there are.
import { randomUUID } from 'node:crypto';
import { ANY_JSON } from './fields.ts';
import { answered, at, madeJob, type WriteRoute } from './write-route.ts';

const RUN_AT = '2031-05-06T07:08:09.000Z';
const UUID = '019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9e';

const BACKOFF = { kind: 'exponential', baseMs: 10, factor: 2, maxMs: 100, jitter: 'none' };

function slotJob(unique: object): object {
  return {
    type: 'export',
    input: ANY_JSON,
    queue: 'default',
    priority: 5,
    documentId: 'document',
    correlationId: 'correlation',
    metadata: ANY_JSON,
    parentJobId: UUID,
    submit: true,
    maxAttempts: 2,
    backoff: BACKOFF,
    timeoutMs: 1_000,
    limitKey: 'limit',
    unique,
  };
}

function uniques(): object[] {
  const key = (): string => `key ${randomUUID()}`;
  return [
    { mode: 'throttle', key: key(), windowMs: 1_000 },
    { mode: 'debounce', key: key(), windowMs: 1_000, maxWaitMs: 5_000 },
    { mode: 'replace', key: key() },
  ];
}

function newJobs(): object[] {
  const id = randomUUID();
  const [throttle, debounce, replace] = uniques().map(slotJob);
  return [
    { ...throttle, id, runAt: RUN_AT, deadlineAt: '2032-01-01T00:00:00.000Z', payloadHash: 'h' },
    { ...debounce, deadlineMs: 5_000 },
    { ...replace, delayMs: 5_000 },
  ];
}

const JOB_UNSEEN = [
  'limitKey',
  'payloadHash',
  'unique',
  'delayMs',
  'deadlineMs',
  'runAt',
  'deadlineAt',
  'maxAttempts',
  'backoff',
  'timeoutMs',
];

function schedules(): object[] {
  const [throttle, debounce, replace] = uniques().map(slotJob);
  const missed = { policy: 'all', graceMs: 1_000, max: 5 };
  return [
    {
      rule: { kind: 'cron', expression: '0 3 * * *', timeZone: 'UTC' },
      job: { ...throttle, deadlineMs: 1_000 },
      missed,
    },
    { rule: { kind: 'interval', everyMs: 60_000, startAt: RUN_AT }, job: debounce },
    { rule: { kind: 'once', at: RUN_AT }, job: replace },
  ];
}

const TYPE = {
  calls: ['part'],
  lifecycle: 'task',
  retry: { maxAttempts: 2, backoff: BACKOFF },
  retryable: ['network_timeout'],
  fatal: ['broken'],
  lease: { ttlMs: 60_000, heartbeatMs: 10_000 },
  timeoutMs: 1_000,
  onTimeout: 'resume',
  stages: [{ name: 'draw', min: 1, max: 90 }],
  limits: {
    documentFrom: { artifact: 'a', content: 'c', url: 'u' },
    runningPerKey: { max: 3, key: 'documentId' },
    rate: { perUser: { max: 3, perMs: 1_000 }, perOrganisation: { max: 4, perMs: 1_000 } },
    adaptive: { failureRate: 0.5, samplesMin: 10, concurrencyMin: 2 },
  },
  slo: { p50Ms: 1, p95Ms: 2, p99Ms: 3, failureRateMax: 0.25, measures: 'duration' },
  previews: ['page-*.png'],
  compensation: 'export',
  expose: {
    title: 'title',
    description: 'description',
    version: '1',
    keywords: ['word'],
    groups: ['planners'],
    input: ANY_JSON,
    result: ANY_JSON,
  },
  inputSchema: ANY_JSON,
};

/** Limits that are told in a word. */
const TYPE_IN_SHORT = { lifecycle: 'task', limits: { activePerDocument: 1, runningPerKey: 3 } };

/** The definition as it is kept: answers leave out what is for another reader. */
const kept: WriteRoute['shown'] = async ({ world }, { url }) => {
  const type = url.split('/').at(-1)!;
  const [record] = await world.engine.types.read([{ tenant: 'default', type }]);
  return JSON.parse(record!.definition);
};

const ofJob = (before: string) => JOB_UNSEEN.map((name) => `${before}/${name}`);

export const CALLER_ROUTES: readonly WriteRoute[] = [
  {
    operation: 'putJobAccess',
    method: 'PUT',
    open: async (api) => {
      const { body } = await api.post('/v1/jobs', { type: 'export' });
      return { url: `/v1/jobs/${body.id}/access` };
    },
    bodies: () => [{ groups: ['planners'] }],
    shown: answered,
  },
  {
    operation: 'acceptJob',
    method: 'POST',
    open: at('/v1/jobs'),
    bodies: newJobs,
    shown: madeJob,
    unseen: ofJob(''),
  },
  {
    operation: 'acceptJobs',
    method: 'POST',
    open: at('/v1/jobs/batch'),
    bodies: () => [
      ...newJobs().map((job) => ({ jobs: [{ ...job, idempotencyKey: randomUUID() }] })),
      {
        jobs: [
          { type: 'export', ref: 'a', after: ['b'] },
          { type: 'export', ref: 'b' },
        ],
      },
    ],
    shown: madeJob,
    unseen: [...ofJob('/jobs/0'), '/jobs/0/idempotencyKey', '/jobs/0/ref', '/jobs/0/after'],
  },
  {
    operation: 'makeSchedule',
    method: 'POST',
    open: at('/v1/schedules'),
    bodies: () => schedules().map((one) => ({ name: `s-${randomUUID()}`, ...one })),
    shown: answered,
  },
  {
    operation: 'putSchedule',
    method: 'PUT',
    open: at('/v1/schedules/nightly'),
    bodies: schedules,
    shown: answered,
  },
  {
    operation: 'putType',
    method: 'PUT',
    open: () => Promise.resolve({ url: `/v1/types/t-${randomUUID()}` }),
    bodies: () => [TYPE, TYPE_IN_SHORT],
    shown: kept,
  },
];
