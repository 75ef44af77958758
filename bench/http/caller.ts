// One process that calls the verbs, through the API or right at the engine, and times them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreName } from '../harness/arguments.ts';
import { serve } from '../harness/remote.ts';
import { percentile } from '../harness/statistics.ts';
import { nowMs } from '../peers/wire.ts';
import type { Endpoint, Held } from './endpoint.ts';

export type Target =
  | { kind: 'http'; url: string; key: string; connections: number }
  | { kind: 'engine'; store: StoreName; address: string };

export interface Round {
  readonly jobs: number;
  readonly batch: number;
  readonly callers: number;
}

export interface Timed {
  readonly jobs: number;
  readonly ms: number;
  /** Of a call. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Of this process. */
  readonly cpuMicros: number;
}

/** What this process does. */
export interface CallerVerbs {
  open(target: Target): Promise<void>;
  enqueue(round: Round): Promise<Timed>;
  claim(round: Round): Promise<Timed>;
  /** Whatever was claimed and is still in flight. */
  complete(round: Pick<Round, 'callers'>): Promise<Timed>;
  forget(given: null): Promise<void>;
  /** One call at a time; answers with the moment just before the first. */
  enqueueAtPace(pace: { jobs: number; perSecond: number }): Promise<number>;
  close(given: null): Promise<void>;
}

let endpoint: Endpoint | null = null;
let held: Held[] = [];
let claimRounds = 0;

function opened(): Endpoint {
  if (endpoint === null) throw new Error('nothing is open yet');
  return endpoint;
}

/** Every caller makes its next call when the last was answered; a call says how many it did. */
async function timed(
  callers: number,
  next: (caller: number) => Promise<number> | null,
): Promise<Timed> {
  const times: number[] = [];
  const cpu = process.cpuUsage();
  const began = nowMs();
  let jobs = 0;
  const caller = async (number: number): Promise<void> => {
    for (;;) {
      const at = nowMs();
      const call = next(number);
      if (call === null) return;
      // Apart from the sum, which others add to meanwhile.
      const size = await call;
      jobs += size;
      times.push(nowMs() - at);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, number) => caller(number)));
  const ms = nowMs() - began;
  const { user, system } = process.cpuUsage(cpu);
  const [p50, p95, p99] = [50, 95, 99].map((percent) => percentile(times, percent));
  return { jobs, ms, p50: p50!, p95: p95!, p99: p99!, cpuMicros: user + system };
}

const verbs: CallerVerbs = {
  async open(target) {
    endpoint =
      target.kind === 'http'
        ? await (await import('./http-endpoint.ts')).openHttpEndpoint(target)
        : await (await import('./engine-endpoint.ts')).openEngineEndpoint(target);
  },
  enqueue({ jobs, batch, callers }) {
    let left = jobs;
    return timed(callers, () => {
      const size = Math.min(batch, left);
      left -= size;
      return size === 0
        ? null
        : opened()
            .enqueue(size)
            .then(() => size);
    });
  },
  claim({ jobs, batch, callers }) {
    let left = jobs;
    claimRounds += 1;
    // A worker that holds little, as workers do: what it holds already, a claim looks through.
    const call = async (caller: number): Promise<number> => {
      const owner = `worker-${claimRounds}-${caller}`;
      const claims = await opened().claim(owner, Math.min(batch, left));
      left -= claims.length;
      held.push(...claims);
      return claims.length;
    };
    return timed(callers, (caller) => (left > 0 ? call(caller) : null));
  },
  complete({ callers }) {
    const all = held.splice(0).values();
    return timed(callers, () => {
      const { value, done } = all.next();
      return done === true
        ? null
        : opened()
            .complete(value)
            .then(() => 1);
    });
  },
  async forget() {
    held = [];
  },
  async enqueueAtPace({ jobs, perSecond }) {
    const began = nowMs();
    for (let made = 0; made < jobs; made++) {
      await sleep(Math.max(0, began + (made * 1_000) / perSecond - nowMs()));
      await opened().enqueue(1);
    }
    return began;
  },
  async close() {
    await endpoint?.close();
  },
};

serve({ ...verbs });
