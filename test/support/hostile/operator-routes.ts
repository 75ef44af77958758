// The routes of those who run the platform, with bodies that name all members that there are.
import type { Api } from '../../spec/http-fixture.ts';
import { ANY_JSON, FIT_NAME } from './fields.ts';
import { ERROR } from './worker-routes.ts';
import { answered, at, itsJob, madeJob, type Target, type WriteRoute } from './write-route.ts';

const UUID = '019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9e';
/** After no job at all. */
const CURSOR = `failed.${UUID}`;
const TIME = '2031-05-06T07:08:09.000Z';

function ready(verb: string, type = 'export') {
  return async (api: Api): Promise<Target> => {
    const { body } = await api.post('/v1/jobs', { type });
    return { url: `/v1/jobs/${body.id}/${verb}` };
  };
}

async function deadLetter(api: Api): Promise<Target> {
  const { url } = await ready('dead-letter', 'index')(api);
  await api.post(url, { reasonCode: 'timeout', message: 'm' });
  const { body } = await api.get(`/v1/dlq?jobId=${url.split('/')[3]}`);
  return { url: `/v1/dlq/${body.items[0].id}/replay` };
}

async function ended(api: Api): Promise<Target> {
  const { url, held } = await api.claimed();
  await api.post(`${url}/complete`, held);
  return { url: `${url}/rerun` };
}

const KEY = { name: 'name', roles: ['producer'], scopes: ['jobs:write'] };

async function key(api: Api): Promise<Target> {
  const { body } = await api.post('/v1/keys', { name: 'name', roles: ['producer'] });
  return { url: `/v1/keys/${body.id}/rotate` };
}

const HOOK = {
  url: 'https://example.com/hook',
  description: 'mine',
  events: ['job_succeeded'],
  types: ['export'],
};

async function webhook(api: Api, verb = ''): Promise<Target> {
  const { body } = await api.post('/v1/webhooks', { url: HOOK.url });
  return { url: `/v1/webhooks/${body.id}${verb}` };
}

/** There can be so many only. */
const thenRemoved: WriteRoute['shown'] = async (api, _target, { body }) => {
  await api.call('DELETE', `/v1/webhooks/${body.id}`);
  return body;
};

const FILTER = {
  type: 'export',
  state: 'queued',
  phase: 'ready',
  queue: 'none',
  documentId: 'document',
  correlationId: 'correlation',
  parentJobId: UUID,
};

const ENDED = { ...FILTER, phase: 'failed', fingerprint: 'f', createdFrom: TIME, createdTo: TIME };

export const OPERATOR_ROUTES: readonly WriteRoute[] = [
  {
    operation: 'cancelJob',
    method: 'POST',
    open: ready('cancel'),
    bodies: () => [{ mode: 'soft', reason: 'reason' }],
    shown: itsJob,
    messages: ['/reason'],
  },
  {
    operation: 'cancelJobs',
    method: 'POST',
    open: at('/v1/jobs/cancel'),
    bodies: () => [
      { mode: 'soft', reason: 'reason', ids: [UUID] },
      { mode: 'soft', reason: 'reason', filter: FILTER },
    ],
  },
  {
    operation: 'rejectJob',
    method: 'POST',
    open: ready('reject', 'paper'),
    bodies: () => [{ error: ERROR }],
    shown: itsJob,
    unseen: ['/error/classes'],
    messages: ['/error'],
  },
  {
    operation: 'deadLetterJob',
    method: 'POST',
    open: ready('dead-letter', 'index'),
    bodies: () => [{ reasonCode: 'timeout', message: 'message' }],
    shown: itsJob,
    messages: ['/message'],
  },
  {
    operation: 'replayDeadLetter',
    method: 'POST',
    open: deadLetter,
    bodies: () => [{ input: ANY_JSON }],
    shown: madeJob,
  },
  {
    operation: 'replayDeadLetters',
    method: 'POST',
    open: at('/v1/dlq/replay'),
    bodies: () => [
      { ids: [UUID], perSecond: 5 },
      { filter: { type: 'export', reasonCode: 'timeout', fingerprint: 'f' }, perSecond: 5 },
    ],
  },
  {
    operation: 'rerunJob',
    method: 'POST',
    open: ended,
    bodies: () => [{ input: ANY_JSON }],
    shown: madeJob,
  },
  {
    operation: 'rerunJobs',
    method: 'POST',
    open: at('/v1/jobs/rerun'),
    bodies: () => [
      { ids: [UUID], limit: 5 },
      { filter: ENDED, limit: 5, cursor: CURSOR },
    ],
  },
  {
    operation: 'startOperation',
    method: 'POST',
    open: at('/v1/operations'),
    bodies: () => [
      { action: 'rerun', filter: ENDED, perSecond: 5, reason: 'reason', dryRun: true },
    ],
  },
  {
    operation: 'playWhatIf',
    method: 'POST',
    open: async (api) => {
      await api.world.putType(FIT_NAME, { lifecycle: 'task' }, 'default');
      await api.post('/v1/jobs', { type: FIT_NAME, queue: FIT_NAME });
      await api.world.claimOne('w', FIT_NAME);
      api.world.advance(1);
      return { url: '/v1/what-if' };
    },
    bodies: () => [
      { lastMs: 60_000, workers: '2x', slots: '+1', load: 1.5 },
      { from: '2026-01-01T00:00:00.000Z', to: TIME },
      {
        queueConcurrency: { [FIT_NAME]: 2 },
        typeConcurrency: { [FIT_NAME]: 2 },
        runningPerKey: { [FIT_NAME]: { max: 2, key: 'limitKey' } },
        rates: {
          [FIT_NAME]: {
            perUser: { max: 2, perMs: 1_000 },
            perOrganisation: { max: 2, perMs: 1_000 },
          },
        },
        priorities: { [FIT_NAME]: 100 },
      },
    ],
  },
  {
    operation: 'changeQueue',
    method: 'PATCH',
    open: at('/v1/queues/mail'),
    bodies: () => [
      { concurrency: 5, highWatermark: 50, lowWatermark: 5, reason: 'reason' },
      { paused: true, pausedUntil: TIME },
      { paused: true, pausedForMs: 60_000 },
    ],
    shown: answered,
    // Told as the time at which the pause ends.
    unseen: ['/pausedForMs'],
  },
  {
    operation: 'createKey',
    method: 'POST',
    open: at('/v1/keys'),
    bodies: () => [
      { ...KEY, queues: ['default'], groups: ['planners'], ttlMs: 60_000, tenant: 'default' },
    ],
    shown: answered,
    unseen: ['/ttlMs'],
  },
  {
    operation: 'rotateKey',
    method: 'POST',
    open: key,
    bodies: () => [{ overlapMs: 1_000 }],
    unseen: ['/overlapMs'],
  },
  {
    operation: 'createWebhook',
    method: 'POST',
    open: at('/v1/webhooks'),
    bodies: () => [HOOK],
    shown: thenRemoved,
  },
  {
    operation: 'changeWebhook',
    method: 'PATCH',
    open: (api) => webhook(api),
    bodies: () => [HOOK],
    shown: thenRemoved,
  },
  {
    operation: 'rotateWebhook',
    method: 'POST',
    open: (api) => webhook(api, '/rotate'),
    bodies: () => [{ overlapMs: 1_000 }],
    shown: thenRemoved,
    unseen: ['/overlapMs'],
  },
];
