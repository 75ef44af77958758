import { systemClock } from '../../src/core/clock.ts';
import type { Clock } from '../../src/core/clock.ts';
import { systemIds } from '../../src/core/ids.ts';
import { systemRandom } from '../../src/core/random.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import { Engine } from '../../src/engine/engine.ts';
import { openContext } from '../../src/engine/open-context.ts';
import type { Ending } from '../../src/core/ending.ts';
import { builtInLifecycles as lifecycles } from '../../src/lifecycles/built-in.ts';
import type { Store } from '../../src/store/store.ts';
import { INPUT, LEASE, SUCCESS, TENANT } from '../core/contender.ts';

export const TYPE = 'growth';
export const OWNER = 'bench';
export const CALLER = { tenant: TENANT, principal: null };

/** Jobs that have really been through it, to be copied. */
export interface Templates {
  /** A hundred ids as they are met: nearly all succeeded, one failed, one was cancelled. */
  readonly ended: readonly string[];
  readonly ready: string;
}

/** Until what has failed may come back. */
export const BACKOFF_MS = 5;

export interface Opened {
  readonly context: EngineContext;
  readonly engine: Engine;
}

/** The engine with the one type that is measured. */
export async function openEngine(store: Store, clock: Clock = systemClock): Promise<Opened> {
  const context = openContext({ store, lifecycles, random: systemRandom, ids: systemIds(clock) });
  const engine = new Engine(context);
  const retry = { maxAttempts: 1_000, backoff: { kind: 'fixed', baseMs: BACKOFF_MS } } as const;
  // Half of all turns fail here, for which the product would slow the type down.
  const limits = { adaptive: false };
  const definition = { lifecycle: 'task', lease: LEASE, retry, limits };
  await engine.putType({ tenant: TENANT, type: TYPE }, definition);
  return { context, engine };
}

export function ageing(ago: number): Clock {
  return { now: () => systemClock.now() - ago };
}

/** Plays the jobs on a store whose clock may be behind. */
export async function playTemplates(store: Store, clock: Clock): Promise<Templates> {
  const { engine } = await openEngine(store, clock);
  const bug = { class: 'internal_bug', message: 'it cannot be done' };
  const succeeded = await play(engine, SUCCESS);
  const failed = await play(engine, { kind: 'fail', error: bug });
  const cancelled = await enqueueOne(engine);
  const ref = { tenant: TENANT, id: cancelled };
  await engine.cancel([{ ref, actor: OWNER, mode: 'soft', reason: null }]);
  const ended = [failed, cancelled, ...Array.from({ length: 98 }, () => succeeded)];
  return { ended, ready: await enqueueOne(engine) };
}

async function play(engine: Engine, ending: Ending): Promise<string> {
  const id = await enqueueOne(engine);
  const [claim] = await engine.claim({ owner: OWNER, types: [TYPE], max: 1 });
  const { job } = claim!;
  await engine.settle([{ ref: job, owner: OWNER, epoch: job.epoch, known: job, ending }]);
  return id;
}

async function enqueueOne(engine: Engine): Promise<string> {
  const [result] = await engine.enqueue([{ type: TYPE, input: INPUT }], { caller: CALLER });
  if (result?.kind !== 'created') throw new Error(`a job was not accepted: ${result?.kind}`);
  return result.job.id;
}
