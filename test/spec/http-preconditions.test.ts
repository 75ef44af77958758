// `If-Match`: who changes what somebody else has changed since is told so, and changes nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, openSecurityFixture } from '../security/fixture.ts';

const fixture = await openSecurityFixture({ PAWL_OUTGOING_ALLOW: '127.0.0.9' });
const api = await fixture.holder({});

interface Change {
  readonly method: string;
  /** Added to the path of what is changed. */
  readonly verb?: string;
  readonly body?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string }[];
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Kind {
  /** Makes one, and answers with its path. */
  readonly make: (n: number) => Promise<string>;
  /** A change that is not the one tried, by somebody else. */
  readonly other: Change;
  readonly changes: Readonly<Record<string, Change>>;
}

const SCHEDULE = { rule: { kind: 'interval', everyMs: 60_000 }, job: { type: 'plain' } };
await api.put('/v1/types/plain', { lifecycle: 'task' });
const ERROR = { class: 'Bad', message: 'no' };

async function job(lifecycle: string, isHeld = false): Promise<string> {
  await api.put(`/v1/types/${lifecycle}-job`, { lifecycle });
  const body = { type: `${lifecycle}-job`, submit: !isHeld };
  return `/v1/jobs/${(await api.post('/v1/jobs', body)).json.id}`;
}

const JOB_OTHER: Change = { method: 'POST', verb: '/messages', body: { name: 'a' } };

/** Every kind of thing that people change, with each route that does it. */
const KINDS: Readonly<Record<string, Kind>> = {
  type: {
    make: async (n) => {
      await api.put(`/v1/types/t${n}`, { lifecycle: 'task' });
      return `/v1/types/t${n}`;
    },
    other: { method: 'PUT', body: { timeoutMs: 5_000 } },
    changes: { putType: { method: 'PUT', body: { timeoutMs: 9_000 } } },
  },
  schedule: {
    make: async (n) => {
      await api.put(`/v1/schedules/s${n}`, SCHEDULE);
      return `/v1/schedules/s${n}`;
    },
    other: { method: 'PUT', body: { ...SCHEDULE, missed: { policy: 'skip' } } },
    changes: {
      putSchedule: { method: 'PUT', body: { ...SCHEDULE, missed: { policy: 'all' } } },
      pauseSchedule: { method: 'POST', verb: '/pause' },
      resumeSchedule: { method: 'POST', verb: '/resume' },
      removeSchedule: { method: 'DELETE' },
    },
  },
  webhook: {
    make: async () => {
      const { json } = await api.post('/v1/webhooks', { url: 'http://127.0.0.9/hook' });
      return `/v1/webhooks/${json.id}`;
    },
    other: { method: 'PATCH', body: { description: 'other' } },
    changes: {
      changeWebhook: { method: 'PATCH', body: { enabled: false } },
      rotateWebhook: { method: 'POST', verb: '/rotate' },
      removeWebhook: { method: 'DELETE' },
    },
  },
  queue: {
    make: async (n) => `/v1/queues/q${n}`,
    other: { method: 'PATCH', body: { concurrency: 3 } },
    changes: { changeQueue: { method: 'PATCH', body: { isPaused: true } } },
  },
  key: {
    make: async (n) => {
      const { json } = await api.post('/v1/keys', { name: `k${n}`, roles: ['viewer'] });
      return `/v1/keys/${json.id}`;
    },
    other: { method: 'POST', verb: '/rotate' },
    changes: {
      rotateKey: { method: 'POST', verb: '/rotate' },
      revokeKey: { method: 'POST', verb: '/revoke' },
    },
  },
  'access list': {
    make: async () => `${await job('task')}/access`,
    other: { method: 'PUT', body: { groups: ['others'] } },
    changes: { putJobAccess: { method: 'PUT', body: { groups: ['planners'] } } },
  },
  'ready job': {
    make: () => job('task'),
    other: JOB_OTHER,
    changes: {
      submitJob: { method: 'POST', verb: '/submit' },
      cancelJob: { method: 'POST', verb: '/cancel' },
    },
  },
  'document job': {
    make: () => job('document'),
    other: JOB_OTHER,
    changes: { rejectJob: { method: 'POST', verb: '/reject', body: { error: ERROR } } },
  },
  'distributed job': {
    make: () => job('distributed'),
    other: JOB_OTHER,
    changes: {
      deadLetterJob: {
        method: 'POST',
        verb: '/dead-letter',
        body: { reasonCode: 'timeout', message: 'x' },
      },
    },
  },
};

/** Changes of which a second one overwrites nothing that its sender has not seen. */
const NOTHING_TO_OVERWRITE = new Set(
  [
    // They make something new.
    'acceptJob acceptJobs makeSchedule createKey createWebhook rerunJob rerunJobs runSchedule',
    'replayDeadLetter replayDeadLetters startOperation sendMessage makeMessageLink testWebhook',
    'redeliver uploadArtifact',
    // It changes nothing.
    'playWhatIf',
    // The owner of a job has its epoch and its token.
    'claimJobs startJob beat keepStage completeJob failJob snoozeJob releaseJob honourCancel',
    'spawnChildren awaitAll suspendJob takeResults setAside makeOwnMessageLink putArtifact',
    // A link is good for one use; a worker speaks of itself; the rest has two states alone.
    'useMessageLink putWorker drainWorker ignoreFailure heedFailure stopOperation undoOperation',
    'cancelJobs',
    // A tenant that has a place keeps it, and one that moves is moved once.
    'placeTenant moveTenant',
    // Tried below: the job has to end first.
    'eraseJob',
  ].flatMap((names) => names.split(' ')),
);

function send(path: string, { method, verb = '', body }: Change, tag?: string): Promise<Answer> {
  return api.call(method, path + verb, {
    ...(body === undefined ? {} : { body }),
    ...(tag === undefined ? {} : { headers: { 'if-match': tag } }),
  });
}

async function tagOf(path: string): Promise<string> {
  const answer = await api.get(path);
  assert.equal(answer.status, 200, `${path}: ${answer.text}`);
  return String(answer.headers.get('etag'));
}

let made = 0;

for (const [kind, { make, other, changes }] of Object.entries(KINDS)) {
  for (const [operation, change] of Object.entries(changes)) {
    test(`${operation} of a ${kind} that was changed since it was read is refused`, async () => {
      const path = await make(++made);
      const seen = await tagOf(path);
      const first = await send(path, other);
      assert.ok(first.status < 300, first.text);
      const before = await tagOf(path);
      const refused = await send(path, change, seen);
      assert.deepEqual([refused.status, refused.json?.code], [412, 'PRECONDITION_FAILED']);
      assert.equal(await tagOf(path), before, 'nothing was changed');
      const none = await send(path, change, '"nonsense", ???');
      assert.equal(none.status, 412);
    });

    test(`${operation} of a ${kind} that is as it was read is done`, async () => {
      const path = await make(++made);
      const done = await send(path, change, `"other", ${await tagOf(path)}`);
      assert.ok(done.status < 300, done.text);
      const { status } = await send(await make(++made), change, '*');
      assert.ok(status < 300, String(status));
    });
  }
}

test('of many changes by who has seen the same one alone is made', async () => {
  for (const kind of ['type', 'schedule', 'webhook', 'queue', 'access list']) {
    const { make } = KINDS[kind]!;
    const path = await make(++made);
    const seen = await tagOf(path);
    const bodies: Readonly<Record<string, (n: number) => Change>> = {
      type: (n) => ({ method: 'PUT', body: { timeoutMs: 1_000 + n } }),
      schedule: (n) => ({ method: 'PUT', body: { ...SCHEDULE, missed: { max: 1 + n } } }),
      webhook: (n) => ({ method: 'PATCH', body: { description: `by ${n}` } }),
      queue: (n) => ({ method: 'PATCH', body: { concurrency: 1 + n } }),
      'access list': (n) => ({ method: 'PUT', body: { groups: [`g${n}`] } }),
    };
    const all = Array.from({ length: 8 }, (_, n) => send(path, bodies[kind]!(n), seen));
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    assert.deepEqual(
      [statuses.filter((one) => one === 200).length, statuses.filter((one) => one === 412).length],
      [1, 7],
      `${kind}: ${statuses.join(', ')}`,
    );
  }
});

test('what is to be made is refused where it is, and erased only as it was read', async () => {
  const again = { 'if-none-match': '*' };
  const put = (path: string, body: object): Promise<Answer> =>
    api.call('PUT', path, { body, headers: again });
  assert.equal((await put('/v1/types/fresh', { lifecycle: 'task' })).status, 201);
  assert.equal((await put('/v1/types/fresh', { lifecycle: 'task' })).status, 412);
  assert.equal((await put('/v1/schedules/fresh', SCHEDULE)).status, 201);
  assert.equal((await put('/v1/schedules/fresh', SCHEDULE)).status, 412);
  const path = await job('task');
  const seen = await tagOf(path);
  await api.post(`${path}/cancel`);
  assert.equal((await send(path, { method: 'POST', verb: '/erase' }, seen)).status, 412);
  const current = await tagOf(path);
  assert.equal((await send(path, { method: 'POST', verb: '/erase' }, current)).status, 200);
});

test('every route that changes what somebody could have read takes If-Match', async () => {
  const { json } = await api.get('/openapi.json');
  const { paths } = json as { paths: Record<string, Record<string, Operation>> };
  const tried = new Set(Object.values(KINDS).flatMap(({ changes }) => Object.keys(changes)));
  const missing: string[] = [];
  for (const methods of Object.values(paths)) {
    for (const [method, { operationId, parameters, responses }] of Object.entries(methods)) {
      if (method === 'get') continue;
      const isTaken = parameters.some(({ name }) => name === 'if-match');
      const isTold = responses['412'] !== undefined;
      if (isTaken !== isTold) missing.push(`${operationId}: If-Match without 412`);
      const isKnown = NOTHING_TO_OVERWRITE.has(operationId) || (isTaken && tried.has(operationId));
      if (!isKnown) missing.push(operationId);
    }
  }
  assert.deepEqual(missing, []);
});
