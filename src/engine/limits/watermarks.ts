import { SYSTEM_ACTOR } from '../../core/actor.ts';
import type { Clock, Instant } from '../../core/clock.ts';
import { PawlError } from '../../core/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Valve } from '../../store/valve.ts';
import type { EngineContext } from '../context.ts';

/** For so long an enqueue goes by what it last heard of the queues. */
const STALE_MS_MAX = 1_000;

/** When a refused caller should come again. */
export const SHED_RETRY_MS = 5_000;

/** Where no low watermark is set: this share of the high one. */
const LOW_SHARE = 0.8;

/**
 * Which queues refuse new jobs. A queue that has filled up is refused at the latest one sweep and
 * STALE_MS_MAX later, and let go again as late.
 */
export class Shedding {
  readonly #store: Store;
  readonly #clock: Clock;
  #heard: { readonly at: Instant; readonly queues: Promise<ReadonlySet<string>> } | null = null;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Throws QUEUE_OVERLOADED with the time after which to come again. */
  async check(tenant: string, queue: string): Promise<void> {
    const queues = await this.#queues();
    if (!queues.has(nameOf({ tenant, name: queue }))) return;
    const details = { queue, retryAfterMs: SHED_RETRY_MS };
    const message = `the queue "${queue}" is above its high watermark`;
    throw new PawlError('QUEUE_OVERLOADED', message, { details });
  }

  #queues(): Promise<ReadonlySet<string>> {
    const now = this.#clock.now();
    if (this.#heard !== null && now - this.#heard.at < STALE_MS_MAX) return this.#heard.queues;
    const queues = this.#ask();
    this.#heard = { at: now, queues };
    // What could not be heard is asked for again by the next one.
    queues.catch(() => (this.#heard = null));
    return queues;
  }

  async #ask(): Promise<ReadonlySet<string>> {
    const valves = await this.#store.valves(null);
    return new Set(valves.filter(({ isShedding }) => isShedding).map(nameOf));
  }
}

function nameOf({ tenant, name }: Pick<Valve, 'tenant' | 'name'>): string {
  return `${tenant}\n${name}`;
}

/** Compares each queue that has a high watermark with its depth; says how many have changed. */
export async function sweepWatermarks(context: EngineContext): Promise<number> {
  let changed = 0;
  for (const valve of await context.store.valves(null)) {
    if (valve.scope !== 'queue' || (valve.highWatermark === null && !valve.isShedding)) continue;
    if (await adjust(context, valve)) changed += 1;
  }
  return changed;
}

async function adjust({ store, ids }: EngineContext, valve: Valve): Promise<boolean> {
  const { tenant, scope, name, highWatermark, isShedding } = valve;
  const high = highWatermark ?? Infinity;
  const low = valve.lowWatermark ?? Math.floor(high * LOW_SHARE);
  const depth = highWatermark === null ? 0 : await store.depth({ tenant, queue: name }, high);
  const isNow = isShedding ? depth > low : depth >= high;
  if (isNow === isShedding) return false;
  await store.putValve({ tenant, scope, name, isShedding: isNow, actor: SYSTEM_ACTOR });
  const action = isNow ? 'queue_overloaded' : 'queue_recovered';
  const entry = { tenant, id: ids.next(), actor: SYSTEM_ACTOR, subject: `queue ${name}` };
  await store.access.addAudit([{ ...entry, action, details: JSON.stringify({ depth }) }]);
  return true;
}
