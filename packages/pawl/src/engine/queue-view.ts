import type { Instant } from '../core/clock.ts';
import { isBacklog } from '../core/figures.ts';
import { byPhase, type Tally } from '../store/tally.ts';
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

/** Queues that have jobs, and queues that have settings, by name. */
export async function queuesOf({ store }: EngineContext, tenant: string): Promise<QueueView[]> {
  const [tallies, rules] = await Promise.all([store.tally(tenant), store.rules(tenant)]);
  const own = rules.filter(({ scope }) => scope === 'queue');
  const byName = Map.groupBy(tallies, ({ queue }) => queue);
  const names = new Set([...byName.keys(), ...own.map(({ name }) => name)]);
  return [...names]
    .toSorted()
    .map((name) =>
      viewOf(name, byName.get(name) ?? [], own.find((one) => one.name === name) ?? null),
    );
}

/** One queue, also one that has neither. */
export async function queueOf(
  context: EngineContext,
  { tenant, queue }: { tenant: string; queue: string },
): Promise<QueueView> {
  const found = (await queuesOf(context, tenant)).find(({ name }) => name === queue);
  return found ?? viewOf(queue, [], null);
}
