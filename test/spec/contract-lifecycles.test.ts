// What each lifecycle does with what is asked of its jobs over HTTP, in tables.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIFECYCLES, openFixture, said, WORDS } from './contract-fixture.ts';

const fixture = await openFixture();

const CANCELLABLE = LIFECYCLES.filter((name) => WORDS[name].cancelled !== null);
const MODES = ['soft', 'hard'] as const;
const TRANSIENT = { class: 'TransientError', message: 'gone for a moment' };
const LASTING = { class: 'PermanentError', message: 'gone for good' };

for (const name of CANCELLABLE) {
  const { cancelled, running } = WORDS[name];
  for (const mode of MODES) {
    test(`[D18, T7] ${name}: ${mode} cancel of a ready job ends it at once, twice the same`, async () => {
      const { body: job } = await fixture.post('/v1/jobs', { type: name });
      const cancel = () => fixture.post(`/v1/jobs/${job.id}/cancel`, { mode });
      assert.equal(said(await cancel()), `200 ${cancelled}`);
      assert.equal(said(await cancel()), `200 ${cancelled}`);
      assert.equal(await fixture.stateOf(`/v1/jobs/${job.id}`), `${cancelled}/cancelled`);
    });
  }

  test(`[T8, R13] ${name}: soft cancel of a running job is a wish that its owner honours`, async () => {
    const { url, by } = await fixture.running(name);
    const cancel = () => fixture.post(`${url}/cancel`, { reason: 'too late' });
    assert.equal(said(await fixture.post(`${url}/cancelled`, by)), '409 ILLEGAL_TRANSITION');
    assert.equal(said(await cancel()), `202 ${running}`);
    assert.equal(said(await cancel()), `202 ${running}`);
    const beat = await fixture.post(`${url}/heartbeat`, by);
    assert.deepEqual(beat.body.cancel, { mode: 'soft', reason: 'too late' });
    assert.equal(said(await fixture.post(`${url}/cancelled`, by)), `200 ${cancelled}`);
    assert.equal(said(await fixture.post(`${url}/cancelled`, by)), `200 ${cancelled}`);
    assert.equal(said(await fixture.get(`${url}/result`)), '409 NO_RESULT');
  });

  test(`[R14] ${name}: hard cancel ends a running job, also after a soft one`, async () => {
    const { url, by } = await fixture.running(name);
    await fixture.post(`${url}/cancel`);
    assert.equal(said(await fixture.post(`${url}/cancel`, { mode: 'hard' })), `200 ${cancelled}`);
    assert.equal(said(await fixture.post(`${url}/heartbeat`, by)), '409 LEASE_LOST');
    assert.equal(said(await fixture.post(`${url}/complete`, by)), '409 LEASE_LOST');
  });

  for (const [verb, more] of [
    ['fail', { error: TRANSIENT }],
    ['snooze', { delayMs: 5 }],
    ['release', {}],
  ] as const) {
    test(`${name}: with a cancel pending, ${verb} ends cancelled`, async () => {
      const { url, by } = await fixture.running(name);
      await fixture.post(`${url}/cancel`);
      assert.equal(
        said(await fixture.post(`${url}/${verb}`, { ...by, ...more })),
        `200 ${cancelled}`,
      );
    });
  }

  test(`${name}: with a cancel pending, complete wins and loss ends cancelled`, async () => {
    const won = await fixture.running(name);
    await fixture.post(`${won.url}/cancel`);
    const done = await fixture.post(`${won.url}/complete`, won.by);
    assert.equal(said(done), `200 ${WORDS[name].succeeded}`);
    assert.equal(said(await fixture.post(`${won.url}/cancel`)), '409 ILLEGAL_TRANSITION');
    const lost = await fixture.running(name);
    await fixture.post(`${lost.url}/cancel`);
    await fixture.pass(600_000);
    assert.equal(await fixture.stateOf(lost.url), `${cancelled}/cancelled`);
  });
}

test('[D18] D goes through QUEUED to FAILED from CREATED and from RETRYING', async () => {
  const { body: held } = await fixture.post('/v1/jobs', { type: 'document', submit: false });
  const { url, by } = await fixture.running('document');
  await fixture.post(`${url}/fail`, { ...by, error: { class: 'timeout', message: 'slow' } });
  for (const path of [`/v1/jobs/${held.id}`, url]) {
    const answer = await fixture.post(`${path}/cancel`);
    assert.equal(said(answer), '200 FAILED');
    assert.deepEqual([answer.body.errorType, answer.body.error.class], ['TERMINAL', 'cancelled']);
    const { body } = await fixture.get(`${path}/events`);
    const to = body.items.slice(-2).map((event: { to: string; cause: string }) => event.to);
    assert.deepEqual([to, body.items.at(-1).cause], [['QUEUED', 'FAILED'], 'cancelled']);
  }
});

test('[P6] P has no cancellation in any state: 409 with the reason', async () => {
  const { body: held } = await fixture.post('/v1/jobs', { type: 'platform', submit: false });
  const { url, by } = await fixture.running('platform');
  for (const path of [`/v1/jobs/${held.id}`, url]) {
    for (const mode of MODES) {
      const answer = await fixture.post(`${path}/cancel`, { mode });
      assert.equal(said(answer), '409 ILLEGAL_TRANSITION');
      assert.match(answer.body.detail, /platform v1 has no cancellation/);
    }
  }
  await fixture.post(`${url}/fail`, { ...by, error: TRANSIENT });
  assert.equal(said(await fixture.post(`${url}/cancel`)), '409 ILLEGAL_TRANSITION');
  assert.equal(await fixture.stateOf(url), 'RETRY/waiting');
});

test('[R2] an assigned job is nobody’s work yet: cancelled at once, not completed', async () => {
  const { body: job } = await fixture.post('/v1/jobs', { type: 'distributed', queue: 'assigned' });
  const { epoch } = await fixture.claim('distributed', 'assigned');
  const url = `/v1/jobs/${job.id}`;
  const early = await fixture.post(`${url}/complete`, { workerId: 'w1', epoch });
  assert.equal(said(early), '409 ILLEGAL_TRANSITION');
  assert.equal(said(await fixture.post(`${url}/cancel`)), '200 cancelled');
});

for (const [name, expected] of [
  ['document', '409 ILLEGAL_TRANSITION'],
  ['process', '200 accepted waiting 1 1'],
  ['platform', '409 ILLEGAL_TRANSITION'],
  ['task', '200 running waiting 1 1'],
  ['distributed', '200 queued ready 2 1'],
] as const) {
  test(`${name}: a snooze answers ${expected} (state, phase, epoch, attempts)`, async () => {
    const { url, by } = await fixture.running(name);
    const answer = await fixture.post(`${url}/snooze`, { ...by, delayMs: 50 });
    const { phase, epoch, attempts } = answer.body;
    const shown = answer.status === 200 ? ` ${phase} ${epoch} ${attempts}` : '';
    assert.equal(`${said(answer)}${shown}`, expected);
  });
}

for (const [ids, name, once, end] of [
  ['D6, D7', 'document', 'RETRYING/waiting 2 1', 'FAILED/failed 4 3'],
  ['P8', 'platform', 'RETRY/waiting 2 1', 'DEAD/dead 3 3'],
  ['T31', 'task', 'pending/ready 2 1', 'failed/failed 3 2'],
  ['R10', 'distributed', 'queued/ready 2 1', 'dead_lettered/dead 5 4'],
] as const) {
  test(`[${ids}] ${name}: a lost worker leads to ${once}, at last ${end} (attempts, retries)`, async () => {
    const type = `lost-${name}`;
    await fixture.put(`/v1/types/${type}`, { lifecycle: name });
    const { body: job } = await fixture.post('/v1/jobs', { type });
    const seen: string[] = [];
    for (;;) {
      const { url, by } = await fixture.begun(type, job);
      await fixture.pass(180_000);
      assert.equal(said(await fixture.post(`${url}/complete`, by)), '409 LEASE_LOST');
      const { body } = await fixture.get(url);
      seen.push(`${body.state}/${body.phase} ${body.attempts} ${body.retryCount}`);
      assert.equal(body.error.class, 'worker_lost');
      if (body.completedAt !== null) break;
      await fixture.pass(60_000);
    }
    assert.deepEqual([seen[0], seen.at(-1)], [once, end]);
  });
}

for (const name of LIFECYCLES) {
  const { succeeded, failed } = WORDS[name];
  test(`[T32, R7] ${name}: one complete counts, its repeat is 200, a stranger’s LEASE_LOST`, async () => {
    const { url, by } = await fixture.running(name);
    const complete = (more: object = {}) => fixture.post(`${url}/complete`, { ...by, ...more });
    for (const stale of [{ workerId: 'w2' }, { epoch: by.epoch + 1 }]) {
      assert.equal(said(await complete(stale)), '409 LEASE_LOST');
    }
    const done = await complete({ result: { pages: 3 } });
    assert.equal(said(done), `200 ${succeeded}`);
    assert.deepEqual((await complete({ result: { pages: 3 } })).body, done.body);
    assert.equal(said(await complete({ workerId: 'w2' })), '409 LEASE_LOST');
    for (const other of [{}, { result: { pages: 4 } }, { result: 'x' }]) {
      assert.equal(said(await complete(other)), '409 LEASE_LOST');
    }
    assert.deepEqual((await fixture.get(`${url}/result`)).body, { pages: 3 });
    assert.deepEqual([done.body.error, done.body.errorType, done.body.lease], [null, null, null]);
  });

  test(`${name}: a lasting error ends the job, without a result`, async () => {
    const { url, by } = await fixture.running(name);
    const ended = await fixture.post(`${url}/fail`, { ...by, error: LASTING });
    assert.deepEqual([said(ended), ended.body.errorType], [`200 ${failed}`, 'TERMINAL']);
    assert.equal(said(await fixture.get(`${url}/result`)), '409 NO_RESULT');
  });
}

for (const [ids, name, members] of [
  [
    'D8',
    'document',
    'jobId state createdAt startedAt completedAt retryCount maxRetries lastError errorType',
  ],
  ['O10', 'process', 'jobID processID type status created updated progress'],
  ['P11', 'platform', 'id state retry_count lease_expiry created_at updated_at'],
  ['T13', 'task', 'id type status progress attempts maxAttempts createdAt updatedAt metadata'],
  [
    'R16',
    'distributed',
    'job_id type state version attempts max_attempts lease last_error correlation_id trace_id ' +
      'created_at updated_at',
  ],
] as const) {
  test(`[${ids}] ${name}: view=record has the members of its own document`, async () => {
    const { body: job } = await fixture.post('/v1/jobs', { type: name });
    const { body } = await fixture.get(`/v1/jobs/${job.id}?view=record`);
    assert.deepEqual(Object.keys(body).toSorted(), members.split(' ').toSorted());
    assert.equal(body.state ?? body.status, WORDS[name].ready);
  });
}
