import { Remote } from '../harness/remote.ts';
import { inTurns } from '../harness/turns.ts';
import type { CallerVerbs } from './caller.ts';
import type { Ground } from './ground.ts';
import type { FanOutLoad, HttpOptions } from './options.ts';
import type { Delivered, ReaderVerbs } from './readers.ts';
import { type ServerProcess, startServer } from './server.ts';

/** What one server did for all its streams, a value a repeat. */
export interface FanOut {
  readonly store: string;
  /** Of the server with the streams open less without them, a stream; null where not known. */
  readonly kilobytesAStream: number | null;
  readonly paced: readonly Delivered[];
  /** Share of one core while events came at that pace. */
  readonly pacedCores: readonly (number | null)[];
  readonly bursts: readonly (Delivered & { readonly perSecond: number })[];
}

interface OpenFan {
  readonly server: ServerProcess;
  readonly caller: Remote<CallerVerbs>;
  readonly readers: Remote<ReaderVerbs>;
  readonly fan: FanOut & {
    readonly paced: Delivered[];
    readonly pacedCores: (number | null)[];
    readonly bursts: (Delivered & { perSecond: number })[];
  };
}

/** One server a store, each with all its streams open; they take turns. */
export async function measureFanOut(
  grounds: readonly Ground[],
  { fanOut: load, repeats }: HttpOptions,
  say: (text: string) => void,
): Promise<FanOut[]> {
  const fans: OpenFan[] = [];
  try {
    for (const ground of grounds) {
      say(`${ground.name}: ${load.streams} streams`);
      fans.push(await openFan(ground, load));
    }
    await inTurns(fans, repeats, async (one) => {
      say(`${one.fan.store}: events`);
      await playPaced(one, load);
      await playBurst(one, load);
    });
    return fans.map(({ fan }) => fan);
  } finally {
    for (const { server, caller, readers } of fans) {
      await readers.ask('close', null);
      await caller.ask('close', null);
      await Promise.all([readers.close(), caller.close()]);
      await server.stop();
    }
  }
}

async function openFan(ground: Ground, { streams }: FanOutLoad): Promise<OpenFan> {
  const server = await startServer(await ground.plot(), { PAWL_ROLES: 'api,sweeper' });
  const { url, key } = server;
  const caller = new Remote<CallerVerbs>(new URL('caller.ts', import.meta.url));
  await caller.ask('open', { kind: 'http', url, key, connections: 4 });
  const readers = new Remote<ReaderVerbs>(new URL('readers.ts', import.meta.url));
  // The first event of a server does much that is done once only.
  await caller.ask('enqueueAtPace', { jobs: 5, perSecond: 50 });
  const before = server.usage().rssBytes;
  await readers.ask('open', { url, key, streams });
  await caller.ask('enqueueAtPace', { jobs: 5, perSecond: 50 });
  await readers.ask('take', 5 * streams);
  const after = server.usage().rssBytes;
  const kilobytesAStream =
    before === null || after === null ? null : (after - before) / 1_024 / streams;
  const fan = { store: ground.name, kilobytesAStream, paced: [], pacedCores: [], bursts: [] };
  return { server, caller, readers, fan };
}

async function playPaced(one: OpenFan, load: FanOutLoad): Promise<void> {
  const { server, caller, readers, fan } = one;
  const jobs = Math.ceil(load.perSecond * load.seconds);
  const before = server.usage().cpuMicros;
  const began = await caller.ask('enqueueAtPace', { jobs, perSecond: load.perSecond });
  const delivered = await readers.ask('take', jobs * load.streams);
  const after = server.usage().cpuMicros;
  fan.paced.push(delivered);
  const micros = before === null || after === null ? null : after - before;
  fan.pacedCores.push(micros === null ? null : micros / 1_000 / (delivered.lastAt - began));
}

async function playBurst({ caller, readers, fan }: OpenFan, load: FanOutLoad): Promise<void> {
  const { burst, streams } = load;
  await caller.ask('enqueue', { jobs: burst, batch: burst, callers: 1 });
  const delivered = await readers.ask('take', burst * streams);
  fan.bursts.push({ ...delivered, perSecond: (delivered.events * 1_000) / delivered.lagMax });
}
