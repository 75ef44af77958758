import type { Instant } from '../../core/clock.ts';
import type { Fire, FireEntry } from '../../records/fires.ts';
import type { Schedule } from '../../records/schedules.ts';
import { StoreError } from '../../store/store-error.ts';
import type { EngineContext } from '../context.ts';
import { tellFired } from '../observer.ts';
import { draftFire } from '../schedules/draft-fire.ts';
import { planFires } from '../schedules/plan-fires.ts';
import { viewOf } from '../schedules/schedules.ts';

const BATCH = 100;

/** A schedule that was long away needs several rounds; a sweep still has to end some time. */
const ROUNDS_MAX = 100;

/**
 * Makes the jobs of slots that have come, and answers with their number. Safe in any number of
 * processes: the store moves a schedule on only from the slot that was read, and with it, in one
 * transaction, come the jobs; who comes second finds it moved.
 */
export async function sweepSchedules(context: EngineContext): Promise<number> {
  let total = 0;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const due = await context.records.schedules.due(BATCH);
    if (due.length === 0) return total;
    const now = await context.store.now();
    let isMoving = false;
    for (const schedule of due) {
      const made = await fireDue(context, schedule, now);
      total += made ?? 0;
      isMoving ||= made !== null;
    }
    if (!isMoving) return total;
  }
  return total;
}

/** The number of jobs made; null if the schedule stays where it was, for a reason of its own. */
async function fireDue(
  context: EngineContext,
  schedule: Schedule,
  now: Instant,
): Promise<number | null> {
  try {
    const fire = await planDue(context, schedule, now);
    const outcome = await context.records.schedules.fire(fire);
    tellFired(context.observer, fire, outcome);
    if (outcome.kind === 'missed') return 0;
    const made = outcome.records.filter(({ result }) => result === 'created').length;
    if (made > 0) context.wakeSignal.wake(null);
    return made;
  } catch (error) {
    if (error instanceof StoreError && error.outcome !== 'refused') throw error;
    // A newer version may have written it and fire it; the other schedules must not wait for that.
    const { tenant, name } = schedule;
    const facts = { tenant, name, error: String(error) };
    context.log.warn('a schedule cannot be fired by this process', facts);
    return null;
  }
}

async function planDue(context: EngineContext, stored: Schedule, now: Instant): Promise<Fire> {
  const schedule = viewOf(stored);
  const { tenant, name, id, version } = schedule;
  const slot = schedule.nextAt!;
  const { rule, missed } = schedule.definition;
  const plan = planFires({ rule, missed, nextAt: slot }, now);
  const entries: FireEntry[] = [];
  if (plan.skipped !== null) entries.push({ kind: 'skipped', ...plan.skipped });
  for (const each of plan.slots) {
    entries.push((await draftFire(context, schedule, { slot: each, by: null })).entry);
  }
  const expected = { version, slot };
  return { tenant, name, id, expected, nextAt: plan.nextAt, entries };
}
