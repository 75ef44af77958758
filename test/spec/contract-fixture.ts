// The API as a stranger meets it: a listening server, plain fetch, one type of each lifecycle.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { type Answer, type Api, openApi } from './http-fixture.ts';

export const LIFECYCLES = ['document', 'process', 'platform', 'task', 'distributed'] as const;

export type LifecycleName = (typeof LIFECYCLES)[number];

/** What each document calls a job that is being executed, and its ends; null: it has none. */
export const WORDS: Record<
  LifecycleName,
  { ready: string; running: string; succeeded: string; failed: string; cancelled: string | null }
> = {
  document: {
    ready: 'QUEUED',
    running: 'RUNNING',
    succeeded: 'SUCCEEDED',
    failed: 'FAILED',
    cancelled: 'FAILED',
  },
  process: {
    ready: 'accepted',
    running: 'accepted',
    succeeded: 'successful',
    failed: 'failed',
    cancelled: 'dismissed',
  },
  platform: {
    ready: 'QUEUED',
    running: 'RUNNING',
    succeeded: 'SUCCESS',
    failed: 'DEAD',
    cancelled: null,
  },
  task: {
    ready: 'pending',
    running: 'running',
    succeeded: 'succeeded',
    failed: 'failed',
    cancelled: 'canceled',
  },
  distributed: {
    ready: 'queued',
    running: 'running',
    succeeded: 'succeeded',
    failed: 'failed',
    cancelled: 'cancelled',
  },
};

export interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A job in a worker's hands, begun where its lifecycle tells that apart. */
export interface Held {
  readonly url: string;
  readonly id: string;
  readonly by: { readonly workerId: string; readonly epoch: number };
}

export class Fixture {
  readonly api: Api;
  readonly url: string;
  #queues = 0;

  constructor(api: Api, url: string) {
    this.api = api;
    this.url = url;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.call('GET', path, { headers });
  }

  post(
    path: string,
    body: unknown = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return this.call('POST', path, { body, headers });
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.call('PUT', path, { body });
  }

  /** Over the wire; the answer is held against the OpenAPI document. */
  async call(method: string, path: string, { body, headers }: Sent = {}): Promise<Answer> {
    const isText = typeof body === 'string';
    const answer = await fetch(this.url + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = /[/+]json/.test(answer.headers.get('content-type') ?? '') && text !== '';
    const seen: Answer = {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: isJson ? JSON.parse(text) : text,
    };
    this.api.contract.check(method, path, seen);
    return seen;
  }

  async claim(type: string, queue = 'default'): Promise<Answer['body']> {
    const asked = { workerId: 'w1', types: [type], max: 1, queues: [queue] };
    return (await this.post('/v1/claims', asked)).body.jobs[0];
  }

  /** In a queue of its own, so that what other tests left behind is not met. */
  async running(type: string): Promise<Held> {
    const queue = `own-${this.#queues++}`;
    const { body: job } = await this.post('/v1/jobs', { type, queue });
    return this.begun(type, job);
  }

  /** Claims the job that must be next, and begins it. */
  async begun(type: string, job: { id: string; queue: string }): Promise<Held> {
    const claim = await this.claim(type, job.queue);
    assert.equal(claim?.job.id, job.id);
    const by = { workerId: 'w1', epoch: claim.epoch };
    const url = `/v1/jobs/${job.id}`;
    assert.equal((await this.post(`${url}/start`, by)).status, 200);
    return { url, id: job.id, by };
  }

  async stateOf(url: string): Promise<string> {
    const { body } = await this.get(url);
    return `${body.state}/${body.phase}`;
  }

  /** Lets time pass and does what a platform does meanwhile. */
  async pass(ms: number): Promise<void> {
    this.api.world.advance(ms);
    await this.api.world.sweep();
  }
}

/** In a word: the status, and the code or else the state that the answer carries. */
export function said({ status, body }: Answer): string {
  return `${status} ${body.code ?? body.state}`;
}

/** Types are named by their lifecycles. */
export async function openFixture(): Promise<Fixture> {
  const api = await openApi();
  const url = await api.app.listen({ port: 0, host: '127.0.0.1' });
  after(() => api.close());
  for (const lifecycle of LIFECYCLES) await api.world.putType(lifecycle, { lifecycle }, 'default');
  return new Fixture(api, url);
}
