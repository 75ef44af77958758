import type pg from 'pg';
import type { Claim } from 'pawl/internal/engine/claim';
import type { Engine } from 'pawl/internal/engine/engine';
import type { Ownership } from 'pawl/internal/engine/owner';
import type { Settlement } from 'pawl/internal/engine/settle';
import { heldBy } from 'pawl/internal/worker/attempt-facts';
import { expectAll, inBatches, INPUT, SUCCESS } from '../core/contender.ts';
import { read, type Reading } from './gauge.ts';

export const TENANT = 'costs';
export const OWNER = 'costs';
export const TYPE = 'costs';

export const VERBS = [
  'enqueue',
  'claim',
  'renewal',
  'heartbeat',
  'complete',
  'complete and claim',
  'empty claim',
] as const;

export type Verb = (typeof VERBS)[number];

/** What one job costs in one verb; an empty claim finds none, and is counted as one. */
export interface Cost {
  readonly verb: Verb;
  readonly batch: number;
  readonly walBytes: number;
  readonly xids: number;
  readonly logNumbers: number;
  readonly serverCpuMs: number | null;
  readonly ownCpuMs: number;
}

export interface Turn {
  readonly batch: number;
  readonly jobs: number;
}

export function differenceOf(
  before: Reading,
  after: Reading,
  jobs: number,
): Omit<Cost, 'verb' | 'batch'> {
  const server =
    before.serverCpuMs === null || after.serverCpuMs === null
      ? null
      : (after.serverCpuMs - before.serverCpuMs) / jobs;
  return {
    walBytes: (after.walBytes - before.walBytes) / jobs,
    xids: (after.xids - before.xids) / jobs,
    logNumbers: (after.logNumbers - before.logNumbers) / jobs,
    serverCpuMs: server,
    ownCpuMs: (after.ownCpuMs - before.ownCpuMs) / jobs,
  };
}

/** With all that a worker knows of its job. */
function ownershipOf(claim: Claim): Ownership {
  return heldBy(claim, claim.job);
}

function successOf(claim: Claim): Settlement {
  return { ...ownershipOf(claim), ending: SUCCESS };
}

/** The verbs of a job's life, each for so many jobs and so many in a call. */
export class Lives {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async enqueue({ batch, jobs }: Turn): Promise<void> {
    const caller = { tenant: TENANT, principal: null };
    const requests = Array.from({ length: jobs }, () => ({ type: TYPE, input: INPUT }));
    for (const some of inBatches(requests, batch)) await this.#engine.enqueue(some, { caller });
  }

  async claim({ batch, jobs }: Turn): Promise<Claim[]> {
    const claims: Claim[] = [];
    while (claims.length < jobs) {
      const max = Math.min(batch, jobs - claims.length);
      claims.push(...(await this.#engine.claim({ owner: OWNER, types: [TYPE], max })));
    }
    return claims;
  }

  async claimNothing(calls: number): Promise<void> {
    for (let n = 0; n < calls; n++) {
      const claims = await this.#engine.claim({ owner: OWNER, types: [TYPE], max: 1 });
      expectAll(claims.length, 0, 'found');
    }
  }

  /** `said`: what goes with each renewal; nothing for most. */
  async renew(claims: readonly Claim[], batch: number, said: object = {}): Promise<void> {
    for (const some of inBatches(claims, batch)) {
      const results = await this.#engine.renew(
        some.map((claim) => ({ ...ownershipOf(claim), ...said })),
      );
      expectAll(results.filter(({ kind }) => kind === 'renewed').length, some.length, 'renewed');
    }
  }

  async complete(claims: readonly Claim[], batch: number): Promise<void> {
    for (const some of inBatches(claims, batch)) {
      const results = await this.#engine.settle(some.map(successOf));
      expectAll(results.filter(({ kind }) => kind === 'moved').length, some.length, 'completed');
    }
  }

  /** Ends jobs and claims as many in the same call, as a worker in the library does. */
  async completeAndClaim(first: readonly Claim[], { batch, jobs }: Turn): Promise<void> {
    let claims = first;
    for (let ended = 0; ended < jobs; ended += batch) {
      const max = Math.min(batch, jobs - ended);
      const order = { owner: OWNER, types: [TYPE], max };
      const both = await this.#engine.settleAndClaim(claims.map(successOf), order);
      expectAll(both.claims.length, max, 'claimed');
      claims = both.claims;
    }
    await this.complete(claims, batch);
  }
}

/** Each verb is measured separately. */
export async function measureLives(
  { engine, client }: { readonly engine: Engine; readonly client: pg.Client },
  turn: Turn,
): Promise<Cost[]> {
  const { batch, jobs } = turn;
  const lives = new Lives(engine);
  const costs: Cost[] = [];
  const measured = async <Answer>(verb: Verb, work: () => Promise<Answer>): Promise<Answer> => {
    const before = await read(client);
    const answer = await work();
    costs.push({ verb, batch, ...differenceOf(before, await read(client), jobs) });
    return answer;
  };
  await measured('enqueue', () => lives.enqueue(turn));
  const claims = await measured('claim', () => lives.claim(turn));
  await measured('renewal', () => lives.renew(claims, batch));
  const said = { progress: 50, message: 'half' };
  await measured('heartbeat', () => lives.renew(claims, batch, said));
  await measured('complete', () => lives.complete(claims, batch));
  await lives.enqueue({ batch: 100, jobs: jobs + batch });
  const first = await lives.claim({ batch, jobs: batch });
  await measured('complete and claim', () => lives.completeAndClaim(first, turn));
  if (batch === 1) await measured('empty claim', () => lives.claimNothing(jobs));
  return costs;
}
