// A provider of OGC API – Processes on this machine: a real HTTP server that answers what it is
// told to, and else as a well-behaved asynchronous provider does.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { News } from '../../../../test/support/news.ts';

/** One request as it came. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** What is answered: a response, or one of the ways in which there is none. */
export type Reply =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string | string[]>>;
      /** Texts and bytes go as they are, all else as JSON. */
      readonly body?: unknown;
    }
  | 'reset'
  | 'hang';

type Answer = Reply | ((seen: Seen) => Reply | null | Promise<Reply | null>);

interface SimulatedJob {
  readonly id: string;
  readonly process: string;
  readonly created: string;
  polls: number;
}

export interface SimulatorOptions {
  /** In front of every path, such as `/base`. */
  readonly basePath?: string;
  readonly processes?: readonly string[];
  /** What polls find, one after the other; the last for ever. */
  readonly statuses?: readonly string[];
}

/** The rules of a simulator, by method and path without the base; the first list is used up. */
export class ProviderSimulator {
  readonly seen: Seen[] = [];
  readonly jobs: Map<string, SimulatedJob> = new Map();
  /** Of every request: when it has come, and when its answer is known. */
  readonly news: News = new News();
  readonly #options: Required<SimulatorOptions>;
  readonly #rules: Map<string, Answer[]> = new Map();
  readonly #server: Server;
  readonly #open: Set<string> = new Set();
  /** How often something was asked for while the same was being answered. */
  overlaps = 0;
  statuses: readonly string[];

  constructor(options: SimulatorOptions = {}) {
    this.#options = {
      basePath: '',
      processes: ['echo'],
      statuses: ['running', 'successful'],
      ...options,
    };
    this.statuses = this.#options.statuses;
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return this.origin + this.#options.basePath;
  }

  async open(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Answers in this order to requests like `POST /processes/x/execution`; the last one stays. */
  on(route: string, ...answers: Answer[]): this {
    this.#rules.set(route, answers);
    return this;
  }

  /** The requests of a kind, such as `GET /jobs/`. */
  count(start: string): number {
    return this.seen.filter(({ method, path }) => `${method} ${path}`.startsWith(start)).length;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const written = request.url ?? '/';
    const { basePath } = this.#options;
    // What is not below the base is no part of this API.
    const path = written.startsWith(basePath) ? written.slice(basePath.length) : `!${written}`;
    const seen: Seen = {
      method: request.method ?? 'GET',
      path,
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks).toString(),
    };
    this.seen.push(seen);
    this.news.tell();
    const what = `${seen.method} ${path}`;
    if (this.#open.has(what)) this.overlaps += 1;
    this.#open.add(what);
    response.once('close', () => this.#open.delete(what));
    const reply = await this.#answerTo(seen);
    this.news.tell();
    if (reply === 'hang') return;
    if (reply === 'reset') {
      request.socket.destroy();
      return;
    }
    send(response, reply);
  }

  async #answerTo(seen: Seen): Promise<Reply> {
    if (seen.path.startsWith('!')) return { status: 404 };
    const route = `${seen.method} ${seen.path.split('?')[0]}`;
    const routes = [route, route.replace(/[^/]+$/, '*'), route.replace(/[^/]+(?=\/results$)/, '*')];
    const rules = this.#rules.get(routes.find((one) => this.#rules.has(one)) ?? '') ?? [];
    const rule = rules.length > 1 ? rules.shift() : rules[0];
    const ruled = typeof rule === 'function' ? await rule(seen) : (rule ?? null);
    return ruled ?? this.#usual(seen);
  }

  #usual({ method, path }: Seen): Reply {
    const [, what = '', id = '', more = ''] = path
      .split('?')[0]!
      .split('/')
      .map(decodeURIComponent);
    if (what === 'processes' && method === 'POST') return this.create(id);
    if (what === 'processes') return this.#processes(id);
    const job = this.jobs.get(id);
    if (what === 'jobs' && id === '') {
      const jobs = [...this.jobs.values()].map((one) => this.#statusOf(one));
      return { status: 200, body: { jobs, links: [] } };
    }
    if (what !== 'jobs' || job === undefined) {
      return { status: 404, body: { type: 'NoSuchJob', title: 'there is no such job' } };
    }
    if (method === 'DELETE') {
      this.jobs.delete(id);
      return { status: 200, body: { ...this.#statusOf(job), status: 'dismissed' } };
    }
    if (more === 'results') return { status: 200, body: { answer: `of ${job.id}` } };
    job.polls += 1;
    return { status: 200, body: this.#statusOf(job) };
  }

  /** Makes a job as an execution would, and answers with it. */
  create(process: string): Reply {
    const id = `r${this.jobs.size + 1}-${Math.random().toString(36).slice(2, 8)}`;
    const job = { id, process, created: new Date().toISOString(), polls: 0 };
    this.jobs.set(id, job);
    const body = { jobID: id, type: 'process', processID: process, status: 'accepted' };
    return { status: 201, headers: { location: `${this.url}/jobs/${id}` }, body };
  }

  #statusOf({ id, process, created, polls }: SimulatedJob): Record<string, unknown> {
    const status = this.statuses[Math.min(Math.max(0, polls - 1), this.statuses.length - 1)];
    return { jobID: id, type: 'process', processID: process, status, created };
  }

  #processes(id: string): Reply {
    const all = this.#options.processes;
    const summary = (name: string): object => ({
      id: name,
      version: '1.0.0',
      jobControlOptions: ['async-execute'],
      links: [{ href: `${this.url}/processes/${name}`, rel: 'self' }],
    });
    if (id === '') return { status: 200, body: { processes: all.map(summary), links: [] } };
    if (!all.includes(id)) return { status: 404, body: { type: 'NoSuchProcess' } };
    return { status: 200, body: { ...summary(id), inputs: {}, outputs: {} } };
  }
}

function send(response: ServerResponse, reply: Exclude<Reply, string>): void {
  const { status, headers = {}, body } = reply;
  const isPlain = typeof body === 'string' || body instanceof Uint8Array || body === undefined;
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  if (!isPlain && !names.includes('content-type')) {
    response.setHeader('content-type', 'application/json');
  }
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  if (body === undefined) response.end();
  else response.end(isPlain ? body : JSON.stringify(body));
}

/** Opens a simulator that a test closes. */
export function openSimulator(options: SimulatorOptions = {}): Promise<ProviderSimulator> {
  return new ProviderSimulator(options).open();
}
