import { SYSTEM_ACTOR } from '../../core/actor.ts';
import type { Instant } from '../../core/clock.ts';
import { PawlError } from '../../core/errors.ts';
import type { DispatchRule } from '../../store/dispatch-rule.ts';
import type { EngineContext } from '../context.ts';

/** For so long an enqueue goes by what it last heard of the queues. */
const STALE_MS_MAX = 1_000;

/** When a refused caller should come again. */
export const SHED_RETRY_MS = 5_000;

/** Where no low watermark is set: this share of the high one. */
const LOW_SHARE = 0.8;

/** A queue that has a high watermark or refuses jobs, as this process knows it. */
interface Level {
  readonly rule: DispatchRule;
  isShedding: boolean;
  /** So many more may come before the depth must be counted again. */
  room: number;
  count: Promise<void> | null;
}

/** What was last heard of the queues; `known` once the answer is there. */
interface Heard {
  readonly at: Instant;
  readonly levels: Promise<ReadonlyMap<string, Level>>;
  known: ReadonlyMap<string, Level> | null;
}

type Parts = Pick<EngineContext, 'store' | 'records' | 'ids' | 'clock'>;

/**
 * Which queues refuse new jobs. What this process lets in it counts itself, so it refuses the very
 * job that finds the queue full; what others let in it sees when it counts again, at the latest
 * STALE_MS_MAX later.
 */
export class Shedding {
  readonly #parts: Parts;
  #heard: Heard | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Rejects with QUEUE_OVERLOADED and the time to wait; null of a queue that nobody watches. With
   * `isPatient` false also by what was heard a while ago: for a caller that may hold the very
   * connection which an answer would need.
   */
  check(tenant: string, queue: string, isPatient: boolean = true): Promise<void> | null {
    const last = this.#heard;
    const news = this.#listen();
    const heard = !isPatient && news.known === null && last?.known ? last : news;
    const name = nameOf({ tenant, name: queue });
    if (heard.known !== null && !heard.known.has(name)) return null;
    return this.#check(heard, { name, queue });
  }

  async #check(heard: Heard, { name, queue }: { name: string; queue: string }): Promise<void> {
    const level = (await heard.levels).get(name);
    if (level === undefined) return;
    if (!level.isShedding && level.room <= 0) {
      await (level.count ??= this.#count(level).finally(() => (level.count = null)));
    }
    if (!level.isShedding && level.room > 0) {
      level.room -= 1;
      return;
    }
    const details = { queue, retryAfterMs: SHED_RETRY_MS };
    const message = `the queue "${queue}" is above its high watermark`;
    throw new PawlError('QUEUE_OVERLOADED', message, { details });
  }

  /** The settings of a queue have changed: what was heard counts no more. */
  forget(): void {
    this.#heard = null;
  }

  async #count(level: Level): Promise<void> {
    const { depth, isShedding } = await adjust(this.#parts, level.rule);
    level.isShedding = isShedding;
    level.room = (level.rule.highWatermark ?? Infinity) - depth;
  }

  #listen(): Heard {
    const now = this.#parts.clock.now();
    if (this.#heard !== null && now - this.#heard.at < STALE_MS_MAX) return this.#heard;
    const heard: Heard = { at: now, levels: this.#ask(), known: null };
    this.#heard = heard;
    heard.levels.then(
      (levels) => (heard.known = levels),
      // What could not be heard is asked for again by the next one.
      () => this.forget(),
    );
    return heard;
  }

  async #ask(): Promise<ReadonlyMap<string, Level>> {
    const rules = (await this.#parts.store.rules(null)).filter(isWatched);
    return new Map(
      rules.map((rule) => {
        const { isShedding } = rule;
        return [nameOf(rule), { rule, isShedding, room: 0, count: null }];
      }),
    );
  }
}

function nameOf({ tenant, name }: Pick<DispatchRule, 'tenant' | 'name'>): string {
  return `${tenant}\n${name}`;
}

function isWatched({ scope, highWatermark, isShedding }: DispatchRule): boolean {
  return scope === 'queue' && (highWatermark !== null || isShedding);
}

/** Compares each queue that has a high watermark with its depth; says how many have changed. */
export async function sweepWatermarks(context: EngineContext): Promise<number> {
  let changed = 0;
  for (const rule of (await context.store.rules(null)).filter(isWatched)) {
    const { isShedding } = await adjust(context, rule);
    if (isShedding !== rule.isShedding) changed += 1;
  }
  return changed;
}

async function adjust(
  { store, records, ids }: Parts,
  rule: DispatchRule,
): Promise<{ depth: number; isShedding: boolean }> {
  const { tenant, scope, name, highWatermark } = rule;
  const high = highWatermark ?? Infinity;
  const low = rule.lowWatermark ?? Math.floor(high * LOW_SHARE);
  const depth = highWatermark === null ? 0 : await store.depth({ tenant, queue: name }, high);
  const isShedding = rule.isShedding ? depth > low : depth >= high;
  if (isShedding === rule.isShedding) return { depth, isShedding };
  await store.putDispatchRule({ tenant, scope, name, isShedding, actor: SYSTEM_ACTOR });
  const action = isShedding ? 'queue_overloaded' : 'queue_recovered';
  const entry = { tenant, id: ids.next(), actor: SYSTEM_ACTOR, subject: `queue ${name}` };
  await records.audit.add([{ ...entry, action, details: JSON.stringify({ depth }) }]);
  return { depth, isShedding };
}
