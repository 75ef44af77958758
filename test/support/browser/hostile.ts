// Text that would run as a script wherever it were taken for markup, in every field that takes it.
import type { JobJson } from 'pawl/internal/contract/job';
import type { Fixture } from './fixture.ts';

const BREAK = 'globalThis.isBroken=true';

/** Each is a way that has worked somewhere: elements, attributes, addresses, breaks out of both. */
export const CORPUS: readonly string[] = [
  `<img src=x onerror="${BREAK}">`,
  `<script>${BREAK};alert(1)</script>`,
  `"><svg onload="${BREAK}">`,
  `'-${BREAK}-'</title></style></textarea><b id=planted>`,
  `<a href="javascript:${BREAK}">open</a>`,
  `<iframe srcdoc="<script>parent.isBroken=true</script>"></iframe>`,
  `<details open ontoggle="${BREAK}">`,
  `<input autofocus onfocus="${BREAK}">`,
  `<svg><animate onbegin="${BREAK}" attributeName=x dur=1s>`,
  `<object data="javascript:${BREAK}"></object>`,
  `<base href="https://elsewhere.example/"><link rel=stylesheet href="//elsewhere.example/x.css">`,
  `<meta http-equiv=refresh content="0;url=https://elsewhere.example/">`,
  `<style>@import "//elsewhere.example/x.css";*{display:none}</style>`,
  `{{constructor.constructor('${BREAK}')()}}\${${BREAK}}`,
  `\u2028${BREAK}//\u202Etxt.exe`,
  `javascript:${BREAK}`,
  `data:text/html,<script>${BREAK}</script>`,
];

/** All of them in one text. */
export const ALL: string = CORPUS.join(' ');

/** As much of it as the shorter fields take. */
const SOME: string = ALL.slice(0, 256);

/** Short enough for every field. */
export const SHORT: string = CORPUS[0]!;

export interface Poisoned {
  readonly running: JobJson;
  readonly dead: JobJson;
  readonly done: JobJson;
  readonly cancelled: JobJson;
}

type Verb = 'PUT' | 'POST' | 'PATCH';

const WORKER = 'hostile';

/** Takes a job as a worker in another language would, and says what it is told to. */
class HostileWorker {
  readonly #fixture: Fixture;

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
  }

  async call(method: Verb, path: string, body: object): Promise<unknown> {
    return (await this.#fixture.client.connection.call({ method, path, body })).body;
  }

  async register(): Promise<void> {
    await this.call('PUT', '/v1/types/hostile', {
      lifecycle: 'distributed',
      retry: { maxAttempts: 1 },
      dlq: 'failed',
      stages: [{ name: SHORT, min: 0, max: 100 }],
      expose: { title: SOME, description: ALL, version: SHORT, keywords: [SHORT] },
    });
    await this.call('PUT', `/v1/workers/${WORKER}`, {
      host: SHORT,
      version: SHORT,
      types: ['hostile'],
      slots: 4,
    });
  }

  async take(): Promise<JobJson> {
    const marked = { documentId: ALL.slice(0, 512), correlationId: SHORT };
    const input = { [SHORT]: ALL };
    const wish = { type: 'hostile', queue: 'hostile', input, metadata: { [ALL]: ALL }, ...marked };
    const job = await this.#fixture.client.enqueue(wish);
    await this.call('POST', '/v1/claims', { workerId: WORKER, types: ['hostile'], max: 1 });
    await this.#say(job, 'start', {});
    const said = { stage: SHORT, progress: 40, message: ALL, log: [ALL], tokens: ALL };
    await this.#say(job, 'heartbeat', said);
    return job;
  }

  complete(job: JobJson): Promise<unknown> {
    return this.#say(job, 'complete', { result: { [SHORT]: ALL } });
  }

  fail(job: JobJson): Promise<unknown> {
    const error = {
      class: SHORT,
      message: ALL,
      code: SHORT,
      stage: SHORT,
      details: { [ALL]: ALL },
    };
    return this.#say(job, 'fail', { error, deadLetter: 'policy_violation' });
  }

  async #say(job: JobJson, verb: string, body: object): Promise<unknown> {
    return this.call('POST', `/v1/jobs/${job.id}/${verb}`, { workerId: WORKER, epoch: 1, ...body });
  }
}

async function poisonSettings(worker: HostileWorker): Promise<void> {
  await worker.call('PATCH', '/v1/queues/hostile', { concurrency: 9, reason: ALL.slice(0, 512) });
  await worker.call('POST', '/v1/webhooks', {
    url: `https://receiver.example/?${encodeURIComponent(SHORT)}#%22%3E%3Cb%20id=planted%3E`,
    description: ALL.slice(0, 512),
  });
  await worker.call('POST', '/v1/schedules', {
    name: 'hostile',
    rule: { kind: 'interval', everyMs: 86_400_000 },
    job: { type: 'hostile', queue: 'hostile', input: { [SHORT]: ALL }, metadata: { [ALL]: ALL } },
  });
}

/** Writes the corpus into every field of jobs, workers, queues, schedules, webhooks, processes. */
export async function poison(fixture: Fixture): Promise<Poisoned> {
  const worker = new HostileWorker(fixture);
  await worker.register();
  const done = await worker.take();
  await worker.complete(done);
  const dead = await worker.take();
  await worker.fail(dead);
  const running = await worker.take();
  const cancelled = await fixture.client.enqueue({
    type: 'hostile',
    input: {},
    runAt: '2100-01-01T00:00:00Z',
  });
  await worker.call('POST', `/v1/jobs/${cancelled.id}/cancel`, { reason: SHORT });
  await poisonSettings(worker);
  return { running, dead, done, cancelled };
}
