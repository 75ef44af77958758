// A server that listens, a client of it, and short words for what comes along a stream.
import { after } from 'node:test';
import { ApiClient, PawlClient, type StreamItem } from 'pawl/client';
import { systemIds } from 'pawl/internal/core/ids';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { buildServer, type ServerOptions } from '@pawl/server/internal/http/server';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { type Api, openApi } from './http-fixture.ts';

/** Comes back without waiting: how long a reader waits is not what is shown here. */
export const atOnce = { sleep: () => Promise.resolve() };

export interface Station {
  readonly api: Api;
  readonly url: string;
  /** The verbs and handles of the library; `client` is its API, route by route. */
  readonly pawl: PawlClient;
  readonly client: ApiClient;
}

export async function openStation(server: Partial<ServerOptions> = {}): Promise<Station> {
  const api = await openApi({ server: () => server });
  const url = await api.app.listen({ port: 0, host: '127.0.0.1' });
  after(() => api.close());
  const pawl = new PawlClient({ url, timers: atOnce });
  return { api, url, pawl, client: pawl.api };
}

/** Another server on the same store, as another process would be. */
export async function openSecond({ api }: Station): Promise<{ url: string; client: ApiClient }> {
  const { store, clock, random } = api.world;
  const context = openContext({
    store,
    lifecycles: builtInLifecycles,
    random,
    ids: systemIds(clock),
    clock,
    live: { everyMs: 5 },
  });
  const engine = new Engine(context);
  const app = await buildServer({
    engine,
    doctor: context,
    slo: context,
    load: { lagMsMax: Number.POSITIVE_INFINITY },
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  after(async () => {
    await engine.live.stop();
    await app.close();
  });
  return { url, client: new ApiClient({ url }) };
}

/** The place within the job, without the name of the log. */
export function placeOf(cursor: string | null): string {
  return (cursor ?? '').split('.').slice(-2).join('.');
}

export function nameOf(item: StreamItem): string {
  const what = item.kind === 'event' ? item.event.type : item.kind;
  return `${placeOf(item.cursor)} ${what}`;
}

export async function take(
  stream: AsyncGenerator<StreamItem>,
  count: number,
): Promise<StreamItem[]> {
  const items: StreamItem[] = [];
  while (items.length < count) {
    const { value, done } = await stream.next();
    if (done === true) break;
    items.push(value);
  }
  return items;
}

export async function rest(stream: AsyncGenerator<StreamItem>): Promise<string[]> {
  const names: string[] = [];
  for await (const item of stream) names.push(nameOf(item));
  return names;
}

/** A job with events and notes, finished. */
export async function finished({ api }: Station): Promise<string> {
  const { url, id, held } = await api.claimed();
  await api.post(`${url}/heartbeat`, { ...held, progress: 10, log: ['one', 'two'] });
  await api.post(`${url}/heartbeat`, { ...held, progress: 60, tokens: 'Hel' });
  await api.post(`${url}/complete`, { ...held, result: 1 });
  return id;
}
