// Webhooks over a real database and real HTTP: a receiver that says what it is told to, and the
// follower and the worker one step at a time.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { Authenticator } from '@pawl/server/internal/auth/authenticator';
import { OPEN_CREDENTIAL } from 'pawl/internal/contract/credential';
import { createKey, type KeyWish } from '@pawl/server/internal/auth/manage-keys';
import { systemClock } from 'pawl/internal/core/clock';
import { SHARED_TENANT } from 'pawl/internal/engine/registry';
import { typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { pluginRoutes } from '@pawl/server/internal/http/plugin-routes';
import { createOutgoing } from '@pawl/server/internal/outgoing/outgoing';
import { fanOut } from '@pawl/server/internal/webhooks/deliveries';
import { DELIVERY_SLOTS, deliveryJob } from '@pawl/server/internal/webhooks/delivery-job';
import { SecretBox } from '@pawl/server/internal/app/secret-box';
import { WebhookRecords } from '@pawl/server/internal/webhooks/records';
import { webhookRoutes } from '@pawl/server/internal/webhooks/routes';
import { Webhooks } from '@pawl/server/internal/webhooks/webhooks';
import { openWorker } from 'pawl/internal/worker/open-worker';
import type { Worker } from 'pawl/internal/worker/worker';
import { ManualTimers } from 'pawl/internal/testing/manual-timers';
import { News } from '../support/news.ts';
import type { OpenStore, World } from '../support/world.ts';
import { Api, Contract, type Document, openApi } from './http-fixture.ts';

export interface Received {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

type Reply = (response: ServerResponse) => void;

/** Keeps what it gets. Answers come from `replies`, one each; after them it says 204. */
export interface Receiver {
  readonly url: string;
  readonly host: string;
  readonly received: Received[];
  /** Of every request. */
  readonly news: News;
  readonly replies: Reply[];
}

/** More batches than any test has. */
const ROUNDS_MAX = 20;

export function answering(status: number, headers = {}, body = ''): Reply {
  return (response) => void response.writeHead(status, headers).end(body);
}

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const news = new News();
  const replies: Reply[] = [];
  const listen = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const headers = request.headers as Record<string, string>;
    received.push({ path: request.url!, headers, body });
    news.tell();
    (replies.shift() ?? answering(204))(response);
  };
  const server = createServer((request, response) => void listen(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${host}/hook`, host, received, news, replies };
}

export interface WebhookFixture {
  readonly api: Api;
  readonly world: World;
  readonly webhooks: Webhooks;
  readonly receiver: Receiver;
  /** The API as the holder of such a key calls it. */
  holder(wish: Partial<KeyWish>): Promise<Api>;
  /** Reads the log to its end and makes deliveries of it; says how many. */
  follow(): Promise<number>;
  worker(): Worker;
  /** Delivers what is due. */
  deliver(): Promise<void>;
  /** Lets time pass, and what is due be due. */
  pass(ms: number): Promise<void>;
  /** Both, over and over, until nothing is left to be sent within that time. */
  settle(withinMs: number): Promise<void>;
}

export interface FixtureOptions {
  readonly store?: OpenStore;
  readonly isLocked?: boolean;
  /** Further places that may be reached. */
  readonly allow?: readonly string[];
}

function parts(world: World, allow: readonly string[]) {
  const { engine } = world;
  const records = new WebhookRecords(world.context.store.records);
  const outgoing = createOutgoing({ allow });
  after(() => outgoing.close());
  const secrets = new SecretBox([{ id: 'k1', secret: Buffer.alloc(32, 7) }]);
  const webhooks = new Webhooks({ engine, records, secrets, outgoing });
  const job = deliveryJob({ engine, webhooks, outgoing, clock: systemClock });
  const routes = pluginRoutes(webhookRoutes({ webhooks, engine }), engine.live.stopping);
  return { webhooks, job, routes };
}

export async function openWebhookFixture(options: FixtureOptions = {}): Promise<WebhookFixture> {
  const receiver = await openReceiver();
  let made: ReturnType<typeof parts>;
  const { store } = options;
  const opened = await openApi({
    ...(store === undefined ? {} : { world: { store } }),
    server: (world) => {
      made = parts(world, [receiver.host, ...(options.allow ?? [])]);
      const { accessKeys } = world.engine;
      const { clock } = world;
      const more = [made.routes];
      if (options.isLocked !== true) return { more };
      return { more, authenticator: new Authenticator({ accessKeys, clock, tokens: null }) };
    },
  });
  after(() => opened.close());
  const { webhooks, job } = made!;
  const { world } = opened;
  const { engine } = world;
  const document = (await opened.app.inject('/openapi.json')).json<Document>();
  const contract = new Contract(document);
  const api = new Api({ world, app: opened.app, contract });
  const named = { tenant: SHARED_TENANT, type: job.type };
  await engine.putType(named, typeDefinitionOf(job));
  return { api, webhooks, receiver, ...steps(world, job), holder: holderOf(api) };
}

function holderOf(api: Api): WebhookFixture['holder'] {
  const { engine } = api.world;
  return async (wish) => {
    const fixture = { accessKeys: engine.accessKeys, ids: engine.ids };
    const whole = { name: 'someone', roles: ['admin' as const], tenant: 'default', ...wish };
    const { text } = await createKey(fixture, OPEN_CREDENTIAL, whole);
    return api.with({ authorization: `Bearer ${text}` });
  };
}

function steps(world: World, job: ReturnType<typeof deliveryJob>) {
  const { context, engine, clock } = world;
  const timers = new ManualTimers(clock);
  let made = 0;
  const records = new WebhookRecords(context.store.records);
  const follower = engine.follow({
    name: 'webhooks',
    handle: async (items) => {
      made += (await fanOut({ engine, records }, items)).length;
    },
  });
  const worker = (): Worker =>
    openWorker({
      source: engine,
      jobs: [job] as never,
      id: `w${made}`,
      clock,
      timers,
      slots: DELIVERY_SLOTS,
      prefetch: 0,
    });
  const own = worker();
  const follow = async (): Promise<number> => {
    const before = made;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const { kind } = await follower.runOnce();
      assert.ok(kind === 'handled' || kind === 'idle', kind);
      if (kind === 'idle') return made - before;
    }
    return assert.fail('deliveries make deliveries, and there is no end to it');
  };
  const deliver = async (): Promise<void> => {
    await own.poll();
    while (own.load.inFlight > 0) {
      await own.idle();
      await own.poll();
    }
  };
  const pass = async (ms: number): Promise<void> => {
    timers.advance(ms);
    await world.sweep();
  };
  const settle = async (withinMs: number): Promise<void> => {
    const until = clock.now() + withinMs;
    await follow();
    await deliver();
    while (clock.now() < until) {
      await pass(Math.min(3_600_000, until - clock.now()));
      await deliver();
    }
  };
  return { world, follow, worker, deliver, pass, settle };
}

/** A webhook of the receiver, made through the API. */
export async function hook(
  { api, receiver }: Pick<WebhookFixture, 'api' | 'receiver'>,
  more: object = {},
): Promise<{ id: string; path: string; secret: string }> {
  const { status, body } = await api.post('/v1/webhooks', { url: receiver.url, ...more });
  assert.equal(status, 201);
  return { id: body.id, path: `/v1/webhooks/${body.id}`, secret: body.secret };
}

export async function succeed(api: Api, type = 'export'): Promise<string> {
  const { url, id, held } = await api.claimed(type);
  if (type === 'index') await api.post(`${url}/start`, held);
  await api.post(`${url}/complete`, { ...held, result: 1 });
  return id;
}

export function verified(secret: string, { headers, body }: Received): unknown {
  return new Verifier(secret).verify(body, headers);
}

export async function told(fixture: WebhookFixture): Promise<Received[]> {
  await fixture.follow();
  await fixture.deliver();
  return fixture.receiver.received;
}
