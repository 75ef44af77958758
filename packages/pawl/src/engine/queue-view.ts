import type { Instant } from '../core/clock.ts';
import { isBacklog } from '../core/figures.ts';
import { byBytes } from '../store/byte-order.ts';
import { byPhase, isAhead, type Tally } from '../store/tally.ts';
import type { DispatchRule } from '../store/dispatch-rule.ts';
import type { EngineContext } from './context.ts';

/** A queue with its counts and settings. */
export interface QueueView {
  readonly name: string;
  readonly phases: Readonly<Record<string, number>>;
  /** Phases of which not all jobs were counted. */
  readonly atLeast: readonly string[];
  readonly oldestReadyAt: Instant | null;
  readonly types: readonly string[];
  readonly rule: DispatchRule | null;
}

function viewOf(name: string, tallies: readonly Tally[], rule: DispatchRule | null): QueueView {
  const { phases, atLeast } = byPhase(tallies);
  const ready = tallies.filter(({ phase }) => isBacklog(phase)).map((one) => one.oldestRunAt);
  const oldestReadyAt = ready.length === 0 ? null : Math.min(...ready);
  const types = [...new Set(tallies.map(({ type }) => type))].toSorted();
  return { name, phases, atLeast, oldestReadyAt, types, rule };
}

export interface QueuePage {
  /** The name of the last queue of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Queues that have jobs, and queues that have settings, by the bytes of their names. */
export async function queuesOf(
  { store }: EngineContext,
  tenant: string,
  { after, limit }: QueuePage,
): Promise<QueueView[]> {
  const queues = after === undefined ? { limit } : { after, limit };
  const [tallies, rules] = await Promise.all([
    store.tally(tenant, { queues }),
    store.rules(tenant),
  ]);
  const own = new Map(ruledIn(rules).map((rule) => [rule.name, rule]));
  const byName = Map.groupBy(tallies, ({ queue }) => queue);
  const ruled = [...own.keys()].filter((name) => isAhead(name, queues));
  // Each half has all of its own that can be on the page.
  return [...new Set([...byName.keys(), ...ruled])]
    .toSorted(byBytes)
    .slice(0, limit)
    .map((name) => viewOf(name, byName.get(name) ?? [], own.get(name) ?? null));
}

/** One queue, also one that has neither. */
export async function queueOf(
  { store }: EngineContext,
  { tenant, queue }: { tenant: string; queue: string },
): Promise<QueueView> {
  const [tallies, rules] = await Promise.all([
    store.tally(tenant, { queues: { from: queue, limit: 1 } }),
    store.rules(tenant),
  ]);
  const own = tallies.filter((tally) => tally.queue === queue);
  return viewOf(queue, own, ruledIn(rules).find(({ name }) => name === queue) ?? null);
}

/** Those of all queues that have jobs or settings: none of their jobs is counted. */
export async function queueNamesOf({ store }: EngineContext, tenant: string): Promise<string[]> {
  const [tallies, rules] = await Promise.all([
    store.tally(tenant, { max: 1 }),
    store.rules(tenant),
  ]);
  return [...new Set([...tallies.map(({ queue }) => queue), ...ruledIn(rules).map(nameOf)])];
}

function ruledIn(rules: readonly DispatchRule[]): DispatchRule[] {
  return rules.filter(({ scope }) => scope === 'queue');
}

function nameOf({ name }: DispatchRule): string {
  return name;
}
