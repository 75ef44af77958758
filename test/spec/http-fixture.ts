// An API to call in tests: every answer is held against the OpenAPI document before it is returned.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Compile } from 'typebox/schema';
import { openFolderArtifacts } from 'pawl/internal/artifact/folder';
import { newLinkKey } from 'pawl/internal/artifact/link-keys';
import { Artifacts } from 'pawl/internal/engine/artifacts';
import type { ArtifactServices } from '@pawl/server/internal/http/artifact-view';
import type { LiveHub } from 'pawl/internal/engine/live/live-hub';
import { buildServer, type ServerOptions } from '@pawl/server/internal/http/server';
import { inSqlite } from '../support/in-sqlite.ts';
import { openWorld, type World, type WorldOptions } from '../support/world.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into freely
  readonly body: any;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';

interface Operation {
  readonly responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

export interface Document {
  readonly openapi: string;
  readonly info: { description: string };
  readonly paths: Record<string, Record<string, Operation & Record<string, unknown>>>;
  readonly components: { schemas: Record<string, Record<string, unknown>> };
}

/** Holds answers against the document that the server itself serves. */
export class Contract {
  readonly document: Document;
  readonly #patterns: { pattern: RegExp; path: string }[];

  constructor(document: Document) {
    this.document = document;
    this.#patterns = Object.keys(document.paths)
      .toSorted((one, other) => one.split('{').length - other.split('{').length)
      .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));
  }

  schemaErrors(schema: object, value: unknown): unknown[] {
    const [isFit, errors] = Compile({
      ...schema,
      components: this.document.components,
    } as never).Errors(value);
    return isFit ? [] : errors;
  }

  check(method: string, url: string, answer: Answer): void {
    const [path = ''] = url.split('?');
    const found = this.#patterns.find(
      (one) => one.pattern.test(path) && this.document.paths[one.path]![method.toLowerCase()],
    );
    if (found === undefined) return;
    const where = `${method} ${found.path} ${answer.status}`;
    const operation = this.document.paths[found.path]![method.toLowerCase()]!;
    const documented = operation.responses[String(answer.status)];
    assert.ok(documented, `${where} is not documented`);
    const type = answer.headers['content-type'];
    const [kind = ''] = typeof type === 'string' ? type.split(';') : [];
    if (documented.content === undefined || kind === '') return;
    const media = documented.content[kind];
    assert.ok(media, `${where}: ${kind} is not documented`);
    if (!/[/+]json/.test(kind)) return;
    assert.deepEqual(this.schemaErrors(media.schema, answer.body), [], where);
  }
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Api {
  readonly world: World;
  readonly app: FastifyInstance;
  readonly contract: Contract;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    parts: Pick<Api, 'world' | 'app' | 'contract'>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.world = parts.world;
    this.app = parts.app;
    this.contract = parts.contract;
    this.#headers = headers;
  }

  /** The same API, called with these headers. */
  with(headers: Readonly<Record<string, string>>): Api {
    return new Api(this, { ...this.#headers, ...headers });
  }

  get(url: string): Promise<Answer> {
    return this.call('GET', url);
  }

  post(url: string, body?: unknown): Promise<Answer> {
    return this.call('POST', url, body === undefined ? {} : { body });
  }

  put(url: string, body: unknown): Promise<Answer> {
    return this.call('PUT', url, { body });
  }

  async call(method: Method, url: string, options: CallOptions = {}): Promise<Answer> {
    const { body } = options;
    const headers = { ...this.#headers, ...options.headers };
    const isText = typeof body === 'string' || Buffer.isBuffer(body);
    const answer = await this.app.inject({
      method,
      url,
      headers: isText ? { 'content-type': 'application/json', ...headers } : headers,
      ...(body === undefined ? {} : { payload: body as object }),
    });
    const isJson = /[/+]json/.test(String(answer.headers['content-type'])) && answer.body !== '';
    const seen: Answer = {
      status: answer.statusCode,
      headers: answer.headers,
      body: isJson ? answer.json() : answer.body,
    };
    this.contract.check(method, url, seen);
    return seen;
  }

  /** Claims one job of the type, made for it. */
  async claimed(type = 'export'): Promise<{ url: string; id: string; held: object }> {
    await this.post('/v1/jobs', { type });
    const { body } = await this.post('/v1/claims', { workerId: 'w1', types: [type], max: 1 });
    const { job, epoch, token } = body.jobs[0];
    return { url: `/v1/jobs/${job.id}`, id: job.id, held: { workerId: 'w1', epoch, token } };
  }

  get live(): LiveHub {
    return this.world.engine.live;
  }

  async close(): Promise<void> {
    await this.live.stop();
    await this.app.close();
    await this.world.close();
  }
}

/** Where people reach the platform, and what signs their links. */
export const LINKS = { publicUrl: 'https://jobs.example.org', keys: [newLinkKey()] };

export interface ApiOptions {
  readonly world?: WorldOptions;
  readonly server?: (world: World) => Partial<ServerOptions>;
}

let served: Promise<Document> | undefined;

/** Artifacts in a folder that goes with the process. */
async function artifactServices({ context, clock }: World): Promise<ArtifactServices> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-http-artifacts-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const files = await openFolderArtifacts({ folder });
  return { access: new Artifacts(context, { files }), keys: [newLinkKey()], clock };
}

function onWorld({ context, engine }: World): Pick<ServerOptions, 'engine' | 'doctor' | 'slo'> {
  return { engine, doctor: context, slo: context };
}

async function readDocument(): Promise<Document> {
  const world = await openWorld();
  const artifacts = await artifactServices(world);
  const app = await buildServer({ ...onWorld(world), artifacts });
  return (await app.inject('/openapi.json')).json<Document>();
}

/** A server over a real database, with the types `export` (task) and `index` (distributed). */
export async function openApi(options: ApiOptions = {}): Promise<Api> {
  const world = await openWorld({ store: inSqlite, links: LINKS, ...options.world });
  const { load, ...server } = options.server?.(world) ?? {};
  // A machine that is busy with other tests must not turn these away.
  const patient = { lagMsMax: Number.POSITIVE_INFINITY, ...load };
  const artifacts = await artifactServices(world);
  const app = await buildServer({ ...onWorld(world), artifacts, load: patient, ...server });
  const document = await (served ??= readDocument());
  for (const [type, lifecycle] of [
    ['export', 'task'],
    ['index', 'distributed'],
  ] as const) {
    await world.putType(type, { lifecycle }, 'default');
  }
  return new Api({ world, app, contract: new Contract(document) });
}
