// Whole errands over the wire: streams, artifacts, dead letters, racing workers, held jobs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiClient } from 'pawl/client';
import { openFixture, said } from './contract-fixture.ts';
import { atOnce } from './http-station.ts';

const fixture = await openFixture();

interface Message {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/**
 * All that is sent until the job has ended, read as plainly as the format allows. `meanwhile` is
 * done when the first message has come.
 */
async function stream(
  path: string,
  { cursor, meanwhile }: { cursor?: string; meanwhile?: () => Promise<unknown> } = {},
): Promise<Message[]> {
  const resumed = cursor === undefined ? {} : { 'last-event-id': cursor };
  const headers = { accept: 'text/event-stream', ...resumed };
  const answer = await fetch(fixture.url + path, { headers });
  assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/);
  const messages: Message[] = [];
  let rest = '';
  for await (const chunk of answer.body!) {
    rest += Buffer.from(chunk).toString();
    const blocks = rest.split('\n\n');
    rest = blocks.pop()!;
    const before = messages.length;
    messages.push(...blocks.filter((block) => /^data:/m.test(block)).map(messageOf));
    if (before === 0 && messages.length > 0) await meanwhile?.();
  }
  return messages;
}

function messageOf(block: string): Message {
  const member = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1] ?? '';
  return { id: member('id'), event: member('event'), data: member('data') };
}

test('[T14, T29] a stream begins with a snapshot and goes on after Last-Event-ID', async () => {
  const { url, id, by } = await fixture.running('task');
  const meanwhile = async () => {
    await fixture.post(`${url}/heartbeat`, { ...by, progress: 30 });
    await fixture.post(`${url}/complete`, by);
  };
  const messages = await stream(`${url}/events`, { meanwhile });
  assert.equal(messages[0]?.event, 'snapshot');
  assert.equal(JSON.parse(messages[0].data).id, id);
  assert.equal(messages.at(-1)?.event, 'job_succeeded');
  assert.equal(JSON.parse(messages.at(-1)!.data).jobId, id);
  const all = await stream(`${url}/events`, { cursor: '0.0' });
  const names = all.map(({ event }) => event);
  assert.deepEqual(names, ['job_created', 'job_claimed', 'job_heartbeat', 'job_succeeded']);
  const later = await stream(`${url}/events`, { cursor: all[1]!.id });
  assert.deepEqual(
    later.map((one) => one.id),
    all.slice(2).map((one) => one.id),
  );
});

test('[T24, R36] an artifact shows once its job has succeeded, by a signed link only', async () => {
  const { url, by } = await fixture.running('task');
  const place = `${url}/artifacts/deck.txt?workerId=${by.workerId}&epoch=`;
  const put = (epoch: number) =>
    fixture.call('PUT', place + epoch, {
      body: 'hello',
      headers: { 'content-type': 'text/plain' },
    });
  assert.equal(said(await put(by.epoch + 1)), '409 LEASE_LOST');
  assert.equal((await put(by.epoch)).status, 201);
  assert.equal(said(await fixture.get(`${url}/result`)), '409 NOT_FINISHED');
  await fixture.post(`${url}/complete`, by);
  const { body } = await fixture.get(`${url}/result`);
  const link: string = body.artifacts[0].url;
  assert.equal(await (await fetch(fixture.url + link)).text(), 'hello');
  const forged = link.replace(
    /signature=(.)/,
    (_, first) => `signature=${first === 'A' ? 'B' : 'A'}`,
  );
  assert.equal((await fetch(fixture.url + forged)).status, 403);
});

test('[D19] a rejected job has failed before anyone began it, and stays so', async () => {
  const { body: job } = await fixture.post('/v1/jobs', { type: 'document' });
  const error = { class: 'resource_limit_exceeded', message: 'no room' };
  const reject = () => fixture.post(`/v1/jobs/${job.id}/reject`, { error });
  const first = await reject();
  assert.deepEqual([said(first), first.body.errorType], ['200 FAILED', 'TERMINAL']);
  assert.deepEqual((await reject()).body, first.body);
});

test('[R15, P13, T21] a dead letter is replayed once, as a new job with its parent', async () => {
  const { body: dead } = await fixture.post('/v1/jobs', {
    type: 'distributed',
    input: { page: 1 },
  });
  const reason = { reasonCode: 'policy_violation', message: 'not here' };
  const moved = await fixture.post(`/v1/jobs/${dead.id}/dead-letter`, reason);
  assert.equal(said(moved), '200 dead_lettered');
  const { body } = await fixture.get('/v1/dlq?reasonCode=policy_violation');
  const [letter] = body.items;
  assert.deepEqual([letter.jobId, letter.input, letter.replayedAs], [dead.id, { page: 1 }, null]);
  const replay = () => fixture.post(`/v1/dlq/${letter.id}/replay`, { input: { page: 2 } });
  const made = await replay();
  assert.deepEqual([said(made), made.body.parentJobId], ['202 queued', dead.id]);
  assert.equal(made.headers['location'], `/v1/jobs/${made.body.id}`);
  const again = await replay();
  assert.deepEqual([again.status, again.body.id], [200, made.body.id]);
  const { body: many } = await fixture.post('/v1/dlq/replay', { ids: [letter.id], perSecond: 5 });
  assert.deepEqual([many.results[0].status, many.results[0].job.id], [200, made.body.id]);
});

test('[P9, R3, R20] of two workers that race, each job has one, and a repeat finds its own', async () => {
  const jobs = Array.from({ length: 20 }, () => ({ type: 'distributed', queue: 'race' }));
  await fixture.post('/v1/jobs/batch', { jobs });
  const take = async (workerId: string, requestId: string): Promise<string[]> => {
    const asked = { workerId, types: ['distributed'], queues: ['race'], max: 3, requestId };
    const { body } = await fixture.post('/v1/claims', asked);
    return body.jobs.map(({ job }: { job: { id: string } }) => job.id);
  };
  const rounds = Array.from({ length: 10 }, (_, n) => n);
  const racers = rounds.flatMap((n) => [take('w1', `one ${n}`), take('w2', `two ${n}`)]);
  const taken = await Promise.all(racers);
  assert.equal(taken.flat().length, 20);
  assert.equal(new Set(taken.flat()).size, 20);
  assert.deepEqual((await take('w1', 'one 0')).toSorted(), taken[0]!.toSorted());
});

test('[P10] a client whose answer was lost asks again, and its held job stays held', async () => {
  let isLost = false;
  const losing: typeof fetch = async (...sent) => {
    const answer = await fetch(...sent);
    if (isLost) return answer;
    isLost = true;
    throw new Error('the line is dead');
  };
  const client = new ApiClient({ url: fixture.url, timers: atOnce, fetch: losing });
  const job = await client.enqueue({ type: 'platform', input: 'held', submit: false });
  assert.deepEqual([isLost, job.state], [true, 'CREATED']);
  isLost = false;
  const [one] = await client.enqueueMany([{ type: 'platform', submit: false }]);
  assert.deepEqual([isLost, one?.status, one?.job?.state], [true, 200, 'CREATED']);
});
