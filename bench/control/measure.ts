import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import type { Claim } from 'pawl/internal/engine/claim';
import type { TypeDefinition } from 'pawl/internal/engine/define-type';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import type { Store } from 'pawl/internal/store/store';
import { SUCCESS } from '../core/contender.ts';

const TENANT = 'bench';
const OWNER = 'bench';
const FULL_KEYS = 40;
const RATE = { max: 1_000_000, perMs: 1_000 };
const LEASE = { ttlMs: 900_000, heartbeatMs: 300_000 };

/** Ways to be limited, and how many documents their jobs are spread over; null for one each. */
export const LIMITS: Readonly<
  Record<string, { readonly limits: TypeDefinition['limits']; readonly documents: number | null }>
> = {
  'no limit': { limits: {}, documents: null },
  'per key, all with room': { limits: { runningPerKey: 2 }, documents: null },
  'per key, all full': { limits: { runningPerKey: 2 }, documents: FULL_KEYS },
  'per user and organisation, tokens left': {
    limits: { rate: { perUser: RATE, perOrganisation: RATE } },
    documents: null,
  },
};

function typeOf(limit: string): string {
  return limit.replaceAll(/\W+/g, '-');
}

/** An engine with every type, on a store. */
export async function openEngine(store: Store): Promise<Engine> {
  const ids = systemIds(systemClock);
  const engine = new Engine(openContext({ store, lifecycles, random: systemRandom, ids }));
  for (const [limit, { limits }] of Object.entries(LIMITS)) {
    const definition = { lifecycle: 'task', lease: LEASE, limits: limits! };
    await engine.putType({ tenant: TENANT, type: typeOf(limit) }, definition);
  }
  return engine;
}

let documents = 0;

async function enqueue(engine: Engine, limit: string, count: number): Promise<void> {
  const spread = LIMITS[limit]!.documents;
  const caller = { tenant: TENANT, principal: 'ada' };
  for (let start = 0; start < count; start += 100) {
    const requests = Array.from({ length: Math.min(100, count - start) }, () => {
      documents += 1;
      const documentId = `d${spread === null ? documents : documents % spread}`;
      return { type: typeOf(limit), documentId };
    });
    await engine.enqueue(requests, { caller });
  }
}

function claim(engine: Engine, limit: string, max: number): Promise<Claim[]> {
  return engine.claim({ owner: OWNER, types: [typeOf(limit)], max });
}

function settle(engine: Engine, claims: readonly Claim[]): Promise<unknown> {
  return engine.settle(
    claims.map(({ job }) => ({
      ref: job,
      owner: OWNER,
      epoch: job.epoch,
      known: job,
      ending: SUCCESS,
    })),
  );
}

const KEYED = 'per key, all with room';

/** Fills a key until one of its jobs has to wait, and leaves it so. */
export async function fillKey(store: Store): Promise<void> {
  const engine = await openEngine(store);
  const caller = { tenant: TENANT, principal: 'ada' };
  const request = { type: typeOf(KEYED), documentId: 'full' };
  await engine.enqueue([request, request, request], { caller });
  const claims = await claim(engine, KEYED, 3);
  if (claims.length !== 2) throw new Error(`${claims.length} of a key of two were claimed`);
}

/** Does its work once and says for how many milliseconds; null when there is none left. */
export type Sample = () => Promise<number | null>;

/** A claim of ten jobs, each of a key of its own. */
export async function claims(engine: Engine, count: number): Promise<Sample> {
  await enqueue(engine, KEYED, count * 10);
  let left = count;
  return async () => {
    if (left-- === 0) return null;
    const from = performance.now();
    const claimed = await claim(engine, KEYED, 10);
    const ms = performance.now() - from;
    if (claimed.length !== 10) throw new Error(`${claimed.length} of 10 were claimed`);
    await settle(engine, claimed);
    return ms;
  };
}

/** A claim of up to a hundred jobs and their completion, a job. */
export async function turns(engine: Engine, limit: string, jobs: number): Promise<Sample> {
  await enqueue(engine, limit, jobs);
  let left = jobs;
  return async () => {
    if (left === 0) return null;
    const from = performance.now();
    const claimed = await claim(engine, limit, 100);
    if (claimed.length === 0) throw new Error(`${limit}: ${left} jobs cannot be claimed`);
    await settle(engine, claimed);
    left -= claimed.length;
    return (performance.now() - from) / claimed.length;
  };
}

/** Takes turns call by call, so that a slow moment of a shared machine meets all alike. */
export async function inTurns(samples: readonly Sample[]): Promise<number[][]> {
  const times: number[][] = samples.map(() => []);
  const open = new Set(samples.keys());
  for (let round = 0; open.size > 0; round++) {
    const order = round % 2 === 0 ? [...open] : [...open].toReversed();
    for (const index of order) {
      const ms = await samples[index]!();
      if (ms === null) open.delete(index);
      else times[index]!.push(ms);
    }
  }
  return times;
}
