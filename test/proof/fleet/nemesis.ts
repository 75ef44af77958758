// Whoever wants the fleet to fail: one fault after the other, each of a kind that chance picks.
import pg from 'pg';
import type { SeededRandom } from '../../../src/core/random.ts';
import { systemTimers } from '../../../src/core/timers.ts';
import type { PlatformProcess } from '../../chaos/platform-process.ts';

export interface Fleet {
  readonly apis: readonly PlatformProcess[];
  readonly workers: readonly PlatformProcess[];
  readonly databaseUrl: string;
}

const never = new AbortController().signal;

type Fault = (fleet: Fleet, random: SeededRandom) => Promise<void>;

async function killAndStart(victims: readonly PlatformProcess[]): Promise<void> {
  const codes = await Promise.all(victims.map((one) => one.end('SIGKILL')));
  if (codes.some((code) => code !== null)) throw new Error(`it ended by itself: ${codes.join()}`);
  await Promise.all(victims.map((one) => one.start()));
}

/** Longer than a lease, so that it wakes up as somebody who no longer owns anything. */
async function freeze(victim: PlatformProcess, ms: number): Promise<void> {
  victim.signal('SIGSTOP');
  await systemTimers.sleep(ms, never);
  victim.signal('SIGCONT');
}

async function cutSessions({ databaseUrl }: Fleet, share: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < $1`,
      [share],
    );
  } finally {
    await client.end();
  }
}

export const FAULTS: Readonly<Record<string, Fault>> = {
  'kill -9 of a worker': ({ workers }, random) => killAndStart([random.pick(workers)]),
  'kill -9 of all workers': ({ workers }) => killAndStart(workers),
  'kill -9 of a server': ({ apis }, random) => killAndStart([random.pick(apis)]),
  'kill -9 of everything': ({ apis, workers }) => killAndStart([...apis, ...workers]),
  'a worker stopped past its lease': ({ workers }, random) => freeze(random.pick(workers), 3_500),
  'a server stopped': ({ apis }, random) => freeze(random.pick(apis), 1_500),
  'all database sessions cut': (fleet) => cutSessions(fleet, 1),
  'some database sessions cut': (fleet) => cutSessions(fleet, 0.3),
};

/** Does harm until it has done enough, or has no time left, and tells what it did. */
export async function attack(
  fleet: Fleet,
  options: { random: SeededRandom; isTimeLeft: () => boolean; faultsMax: number },
): Promise<ReadonlyMap<string, number>> {
  const { random, isTimeLeft, faultsMax } = options;
  const done = new Map<string, number>();
  const names = Object.keys(FAULTS);
  for (let n = 0; n < faultsMax && isTimeLeft(); n++) {
    // Each kind once before chance decides, so that a short run is no tame one.
    const name = names[n] ?? random.pick(names);
    await FAULTS[name]!(fleet, random);
    done.set(name, (done.get(name) ?? 0) + 1);
    await systemTimers.sleep(200 + random.below(800), never);
  }
  return done;
}
