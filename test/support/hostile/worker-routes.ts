// The routes of remote workers, with bodies that name all members that there are.
import { randomUUID } from 'node:crypto';
import type { Api } from '../../spec/http-fixture.ts';
import { ANY_JSON, FIT_NAME } from './fields.ts';
import { at, itsJob, jobUrlOf, type Target, type WriteRoute } from './write-route.ts';

const TYPE = 'index';

export const ERROR = {
  class: 'Broken',
  message: 'message',
  code: 'CODE',
  stage: 'draw',
  stack: 'at line 1',
  details: ANY_JSON,
  causes: [{ class: 'Cause', message: 'why', code: 'C', stack: 'at 2', details: ANY_JSON }],
  classes: ['Broken', 'Error'],
  retryable: false,
};

function leased(verb: string) {
  return async (api: Api): Promise<Target> => {
    const { url, held: own } = await api.claimed(TYPE);
    return { url: `${url}/${verb}`, own };
  };
}

function begun(verb: string) {
  return async (api: Api): Promise<Target> => {
    const target = await leased(verb)(api);
    await api.post(`${jobUrlOf(target)}/start`, target.own);
    return target;
  };
}

function wished(verb: string) {
  return async (api: Api): Promise<Target> => {
    const target = await begun(verb)(api);
    await api.post(`${jobUrlOf(target)}/cancel`, {});
    return target;
  };
}

/** What the next attempt is given. */
const nextAttempt: WriteRoute['shown'] = async (api, target) => {
  await api.post(`${jobUrlOf(target)}/release`, target.own);
  return (await api.post('/v1/claims', { workerId: 'w1', types: [TYPE], max: 1 })).body;
};

/** The sender of a report and its lease: another one is refused, and shown nowhere. */
const OWNER = { workerId: 'w1', epoch: 1, token: 'token' };

function report(verb: string, operation: string, members: object): WriteRoute {
  return {
    operation,
    method: 'POST',
    open: begun(verb),
    bodies: () => [{ ...OWNER, ...members }],
    shown: itsJob,
    unseen: ['/workerId', '/epoch', '/token'],
  };
}

/** The job, and its streamed text as a reader puts it together. */
const streamed: WriteRoute['shown'] = async (api, target, answer) => {
  const [job, events] = (await itsJob(api, target, answer)) as [unknown, { items: Note[] }];
  return [job, events, events.items.map(({ metadata }) => metadata.text ?? '').join('')];
};

interface Note {
  readonly metadata: { readonly text?: string };
}

const BEAT = { ...OWNER, stage: 'draw', progress: 5, message: 'message', checkpoint: ANY_JSON };

export const WORKER_ROUTES: readonly WriteRoute[] = [
  {
    operation: 'claimJobs',
    method: 'POST',
    open: at('/v1/claims'),
    bodies: () => [
      {
        workerId: 'w1',
        types: ['none', FIT_NAME],
        max: 1,
        queues: ['default'],
        waitMs: 0,
        requestId: 'request',
        revisions: { [FIT_NAME]: { name: 'v1', pin: true } },
      },
    ],
  },
  { ...report('start', 'startJob', {}), open: leased('start') },
  {
    ...report('heartbeat', 'beat', {}),
    bodies: () => [
      { ...BEAT, log: 'line', tokens: 'piece', liveTokens: 'live' },
      { ...BEAT, log: ['line'], tokens: ['piece'] },
      { ...BEAT, log: [{ line: 'line', level: 'warn' }] },
    ],
    shown: streamed,
    unseen: ['/workerId', '/epoch', '/progress', '/liveTokens'],
    messages: ['/message', '/log', '/tokens'],
  },
  { ...report('stages/draw', 'keepStage', { result: ANY_JSON }), shown: nextAttempt },
  {
    operation: 'putWorker',
    method: 'PUT',
    open: at('/v1/workers/w9'),
    bodies: () => [
      {
        types: [TYPE],
        revisions: { [FIT_NAME]: { name: 'v1', pin: true } },
        host: 'host',
        pid: 1,
        version: '1',
        slots: 4,
        state: 'working',
      },
    ],
    shown: async (api) => (await api.get('/v1/workers')).body,
  },
  report('complete', 'completeJob', { result: ANY_JSON }),
  {
    ...report('fail', 'failJob', { error: ERROR, deadLetter: 'timeout' }),
    unseen: ['/workerId', '/epoch', '/error/classes'],
    messages: ['/error'],
  },
  {
    ...report('snooze', 'snoozeJob', { delayMs: 5, checkpoint: ANY_JSON }),
    unseen: ['/workerId', '/epoch', '/delayMs'],
  },
  report('release', 'releaseJob', { cause: `cause ${randomUUID()}` }),
  { ...report('cancelled', 'honourCancel', { checkpoint: ANY_JSON }), open: wished('cancelled') },
];
