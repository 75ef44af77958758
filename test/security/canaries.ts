// A tenant that has something recognisable in everything that can hold it.
import assert from 'node:assert/strict';
import type { Answer, Caller } from './fixture.ts';

/** Everything of the tenant that somebody could ask for, by the name of the parameter. */
export interface Planted {
  readonly job: string;
  readonly finished: string;
  readonly process: string;
  readonly letter: string;
  readonly key: string;
  readonly artifact: string;
  readonly webhook: string;
  readonly delivery: string;
  readonly cursor: string;
  readonly held: { readonly workerId: string; readonly epoch: number };
}

/** One for each place, so that a leak names where it came from. */
export function canary(place: string): string {
  return `canary-${place}-7f3a9`;
}

/** Every canary in a text that is not in what was asked. */
export function leaksIn(answer: string, asked: string): string[] {
  const found = answer.match(/canary-[a-z]+-7f3a9/g) ?? [];
  return [...new Set(found)].filter((one) => !asked.includes(one));
}

function done(answer: Answer): Answer {
  assert.ok(answer.status < 300, `${answer.status} ${answer.text}`);
  return answer;
}

const JOB = {
  type: canary('type'),
  queue: canary('queue'),
  input: { text: canary('input') },
  metadata: { text: canary('metadata') },
  documentId: canary('document'),
  correlationId: canary('correlation'),
};

interface Held {
  readonly id: string;
  readonly held: Planted['held'];
}

async function claimOne(owner: Caller): Promise<Held> {
  const headers = { 'idempotency-key': `${canary('idempotency')}-${Math.random()}` };
  const made = done(await owner.call('POST', '/v1/jobs', { body: JOB, headers }));
  const workerId = canary('worker');
  const asked = { workerId, types: [JOB.type], max: 1 };
  const { json } = done(await owner.post('/v1/claims', asked));
  const { epoch, job } = json.jobs[0];
  assert.equal(job.id, made.json.id);
  const held = { workerId, epoch };
  const path = `/v1/jobs/${job.id}`;
  done(await owner.post(`${path}/start`, held));
  const note = { stage: canary('stage'), message: canary('message'), log: [canary('log')] };
  done(await owner.post(`${path}/heartbeat`, { ...held, ...note, checkpoint: canary('mark') }));
  done(await owner.post(`${path}/stages/${canary('stage')}`, { ...held, result: canary('kept') }));
  return { id: job.id, held };
}

async function plantSettings(owner: Caller): Promise<Pick<Planted, 'key' | 'webhook'>> {
  const { type, queue } = JOB;
  const expose = { title: canary('title'), description: canary('description') };
  const stages = [{ name: canary('stage'), min: 0, max: 100 }];
  // A lease that outlives every test.
  const lease = { ttlMs: 120_000, heartbeatMs: 30_000 };
  const slo = { p95Ms: 1_000 };
  const definition = { lifecycle: 'distributed', expose, stages, lease, slo };
  done(await owner.put(`/v1/types/${type}`, definition));
  const reason = { reason: canary('reason') };
  done(await owner.call('PATCH', `/v1/queues/${queue}`, { body: reason }));
  const rule = { kind: 'interval', everyMs: 60_000 };
  const job = { type, input: canary('scheduled') };
  done(await owner.put(`/v1/schedules/${canary('schedule')}`, { rule, job }));
  const key = { name: canary('key'), roles: ['viewer'], queues: [queue] };
  const { json: made } = done(await owner.post('/v1/keys', key));
  const url = `https://127.0.0.9/${canary('hook')}`;
  const hook = { url, description: canary('told'), types: [type] };
  const { json: webhook } = done(await owner.post('/v1/webhooks', hook));
  return { key: made.id, webhook: webhook.id };
}

/** Fills the tenant; every field has a canary of its own. */
export async function plant(owner: Caller): Promise<Planted> {
  const { key, webhook } = await plantSettings(owner);
  const { json: delivery } = done(await owner.post(`/v1/webhooks/${webhook}/test`));
  const dead = await claimOne(owner);
  const error = {
    class: 'ValidationError',
    message: canary('error'),
    details: { text: canary('details') },
  };
  const letter = { ...dead.held, error, deadLetter: 'parse_error' };
  done(await owner.post(`/v1/jobs/${dead.id}/fail`, letter));
  const { json: letters } = done(await owner.get('/v1/dlq'));
  const finished = await claimOne(owner);
  const result = { ...finished.held, result: { text: canary('result') } };
  done(await owner.post(`/v1/jobs/${finished.id}/complete`, result));
  const sign = { types: [JOB.type], host: canary('host'), version: canary('version') };
  done(await owner.put(`/v1/workers/${canary('worker')}`, sign));
  const bytes = Buffer.from(canary('bytes'));
  const upload = `/v1/artifacts?name=${canary('file')}`;
  const { json: artifact } = done(await owner.call('POST', upload, { body: bytes }));
  const running = await claimOne(owner);
  const own = `workerId=${running.held.workerId}&epoch=${running.held.epoch}`;
  const place = `/v1/jobs/${running.id}/artifacts/${canary('output')}?${own}`;
  done(await owner.call('PUT', place, { body: bytes }));
  const prefer = { prefer: 'respond-async' };
  const inputs = { inputs: { input: canary('ogc') } };
  const { json: process } = done(
    await owner.call('POST', `/processes/${JOB.type}/execution`, { body: inputs, headers: prefer }),
  );
  const { json: page } = done(await owner.get('/v1/events?from=start&limit=3'));
  return {
    job: running.id,
    finished: finished.id,
    process: process.jobID,
    letter: letters.items[0].id,
    key,
    artifact: artifact.id,
    webhook,
    delivery: delivery.id,
    cursor: page.nextCursor,
    held: running.held,
  };
}
