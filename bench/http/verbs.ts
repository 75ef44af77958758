import { Remote } from '../harness/remote.ts';
import { inTurns } from '../harness/turns.ts';
import type { CallerVerbs, Round, Timed } from './caller.ts';
import type { Ground } from './ground.ts';
import type { HttpOptions, VerbLoad } from './options.ts';
import { type ServerProcess, startServer } from './server.ts';

/** One verb of one contender, a value a repeat. */
export interface VerbSeries {
  readonly timed: readonly Timed[];
  /** CPU of the process with the engine in it, µs a job; null where that cannot be known. */
  readonly cpuMicros: readonly (number | null)[];
}

/** One way in, by store. */
export interface Way {
  readonly store: string;
  readonly label: string;
  readonly verbs: ReadonlyMap<string, VerbSeries>;
}

interface OpenWay {
  readonly store: string;
  readonly label: string;
  readonly caller: Remote<CallerVerbs>;
  readonly server: ServerProcess | null;
  readonly verbs: Map<string, { timed: Timed[]; cpuMicros: (number | null)[] }>;
}

/** Through the API and right at the engine, each on a database of its own, in turns. */
export async function measureVerbs(
  grounds: readonly Ground[],
  { verbs: load, repeats }: HttpOptions,
  say: (text: string) => void,
): Promise<Way[]> {
  const ways: OpenWay[] = [];
  try {
    for (const ground of grounds) {
      ways.push(await openHttpWay(ground, load), await openEngineWay(ground));
    }
    const warmUp = { ...load, singles: Math.ceil(load.singles / 4), batched: load.batch * 2 };
    for (const way of ways) await play(way, warmUp);
    for (const way of ways) way.verbs.clear();
    let visits = 0;
    await inTurns(ways, repeats, async (way) => {
      const repeat = Math.floor(visits++ / ways.length) + 1;
      say(`${way.store}, ${way.label}: repeat ${repeat} of ${repeats}`);
      await play(way, load);
    });
    return ways;
  } finally {
    for (const { caller, server } of ways) {
      await caller.ask('close', null);
      await caller.close();
      await server?.stop();
    }
  }
}

const CALLER = new URL('caller.ts', import.meta.url);

async function openHttpWay(ground: Ground, { callers }: VerbLoad): Promise<OpenWay> {
  const server = await startServer(await ground.plot(), { PAWL_ROLES: 'api,sweeper' });
  const caller = new Remote<CallerVerbs>(CALLER);
  const { url, key } = server;
  await caller.ask('open', { kind: 'http', url, key, connections: callers });
  return { store: ground.name, label: 'HTTP', caller, server, verbs: new Map() };
}

async function openEngineWay(ground: Ground): Promise<OpenWay> {
  const { store, address } = await ground.plot();
  const caller = new Remote<CallerVerbs>(CALLER);
  await caller.ask('open', { kind: 'engine', store, address });
  return { store: ground.name, label: 'in process', caller, server: null, verbs: new Map() };
}

async function play(way: OpenWay, load: VerbLoad): Promise<void> {
  const { callers, batch, batchCallers } = load;
  const singles = { jobs: load.singles, batch: 1, callers };
  await take(way, 'enqueue', 'enqueue', singles);
  await take(way, 'claim', 'claim', singles);
  await take(way, 'complete', 'complete', singles);
  const batches = { jobs: load.batched, batch, callers: batchCallers };
  await take(way, `enqueue by ${batch}`, 'enqueue', batches);
  await take(way, `claim by ${batch}`, 'claim', batches);
  // Jobs are completed one by one by the API; that has been measured.
  await way.caller.ask('forget', null);
}

async function take(
  { caller, server, verbs }: OpenWay,
  name: string,
  verb: 'enqueue' | 'claim' | 'complete',
  round: Round,
): Promise<void> {
  const before = server?.usage().cpuMicros ?? null;
  const timed = await caller.ask(verb, round);
  if (timed.jobs !== round.jobs) throw new Error(`${name}: ${timed.jobs} of ${round.jobs}`);
  const after = server?.usage().cpuMicros ?? null;
  const used = before === null || after === null ? null : after - before;
  const cpu = server === null ? timed.cpuMicros : used;
  const series = verbs.get(name) ?? { timed: [], cpuMicros: [] };
  series.timed.push(timed);
  series.cpuMicros.push(cpu === null ? null : cpu / timed.jobs);
  verbs.set(name, series);
}
