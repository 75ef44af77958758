// Those who read the log while it grows: what each of them saw must be the log, nothing more.
import type { JobEvent } from 'pawl/internal/core/event';
import type { Timers } from 'pawl/internal/core/timers';
import type { EngineContext } from 'pawl/internal/engine/context';
import { LogFollower } from 'pawl/internal/engine/follow/log-follower';
import { StoreError } from 'pawl/internal/store/store-error';
import type { TailQuery } from 'pawl/internal/store/query';
import { type Actor, aborted } from './actor.ts';

const FOLLOWER = 'bookkeeper';
const ROUNDS_MAX = 2_000;

/** What one reader has on its own disk: items and place are written together. */
export class Reader {
  readonly tenant: string;
  readonly seen: JobEvent[] = [];
  #from: TailQuery['from'] = 'start';

  constructor(tenant: string) {
    this.tenant = tenant;
  }

  async run(actor: Actor): Promise<void> {
    for (;;) {
      try {
        await this.read((query) => actor.store.tail(query), 1 + (actor.now % 5));
      } catch (error) {
        if (!(error instanceof StoreError) || error.outcome === 'refused') throw error;
      }
      await actor.sleep(700);
    }
  }

  /** One page; false when there was nothing. */
  async read(tail: EngineContext['store']['tail'], limit: number): Promise<boolean> {
    const { tenant } = this;
    const page = await tail({ tenant, from: this.#from, limit });
    if (page.isReset) throw new Error('the log said that it was another one');
    this.seen.push(...page.items.map(({ event }) => event));
    this.#from = { cursor: page.cursor };
    return page.items.length > 0;
  }
}

/** A durable follower under one name in several processes: each batch may come more than once. */
export class Bookkeeper {
  readonly seen: JobEvent[] = [];

  async run(actor: Actor): Promise<void> {
    const follower = this.#follow(actor.context, actor.timers);
    for (;;) {
      let waitMs = 1_000;
      try {
        ({ waitMs } = await follower.runOnce());
      } catch (error) {
        if (!(error instanceof StoreError) || error.outcome === 'refused') throw error;
      }
      await actor.sleep(Math.min(5_000, Math.max(waitMs, 100)));
    }
  }

  /** Takes over from whoever had the name, and reads to the end. */
  async finish(context: EngineContext, wait: (ms: number) => void): Promise<void> {
    const follower = this.#follow(context, { sleep: (_ms, signal) => aborted(signal) });
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const { kind, waitMs } = await follower.runOnce();
      // A batch of nothing but notes is idle too, and is not the end.
      if (kind === 'idle' && waitMs > 0) return;
      wait(waitMs);
    }
    throw new Error('the follower never came to the end of the log');
  }

  #follow(context: EngineContext, timers: Timers): LogFollower {
    return new LogFollower(context, {
      name: FOLLOWER,
      batchMax: 7,
      timers,
      handle: async (items) => void this.seen.push(...items.map(({ event }) => event)),
    });
  }
}

/** I11: in order, without a gap, and nobody else's. */
export function judgeReading(
  who: string,
  { seen, log, once }: { seen: readonly JobEvent[]; log: readonly JobEvent[]; once: boolean },
): readonly string[] {
  const nameOf = ({ tenant, jobId, version, note }: JobEvent): string =>
    `${tenant}/${jobId} ${version}.${note}`;
  const problems: string[] = [];
  const met = new Set<string>();
  const last = new Map<string, number>();
  for (const event of seen) {
    const name = nameOf(event);
    if (met.has(name)) {
      if (once) problems.push(`I11 ${who} saw ${name} twice`);
      continue;
    }
    met.add(name);
    if (event.note > 0) continue;
    const before = last.get(event.jobId) ?? 0;
    if (event.version !== before + 1) problems.push(`I11 ${who} saw ${name} after ${before}`);
    last.set(event.jobId, event.version);
  }
  const wanted = new Set(log.map(nameOf));
  const missed = [...wanted].filter((name) => !met.has(name));
  const foreign = [...met].filter((name) => !wanted.has(name));
  if (missed.length > 0) problems.push(`I11 ${who} never saw ${missed.slice(0, 3).join(', ')}`);
  if (foreign.length > 0) problems.push(`I19 ${who} saw ${foreign.slice(0, 3).join(', ')}`);
  return problems;
}
