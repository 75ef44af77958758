// A schedule that all sweepers of a run try to fire: each slot makes one job, whoever comes first.
import type { JobEvent } from 'pawl/internal/core/event';
import type { Engine } from 'pawl/internal/engine/engine';
import { recordsOf } from 'pawl/internal/records/records';
import type { Store } from 'pawl/internal/store/store';

/** A tenant of its own, since nobody submits these jobs. */
export const SLOT_TENANT = 'clockwork';
const NAME = 'every-seven-seconds';
const EVERY_MS = 7_000;
const ALL = 100_000;

export async function putSchedule(engine: Engine): Promise<void> {
  const caller = { tenant: SLOT_TENANT, principal: 'planner' };
  await engine.schedules.put(
    { name: NAME, caller },
    {
      rule: { kind: 'interval', everyMs: EVERY_MS },
      job: { type: 'convert', input: null },
    },
  );
}

/** I12: at most one job a slot, a job for each slot that says so, and no slot between them gone. */
export async function judgeSlots(
  store: Store,
  events: readonly JobEvent[],
): Promise<readonly string[]> {
  const lines = await recordsOf(store).schedules.fires({
    tenant: SLOT_TENANT,
    name: NAME,
    limit: ALL,
  });
  const born = new Set(events.filter(({ version }) => version === 1).map(({ jobId }) => jobId));
  const made = lines.filter(({ result }) => result === 'created');
  const problems: string[] = [];
  if (new Set(made.map(({ slot }) => slot)).size !== made.length) {
    problems.push('I12 a slot made two jobs');
  }
  const named = new Set(made.map(({ jobId }) => jobId!));
  for (const id of born) if (!named.has(id)) problems.push(`I12 ${id} belongs to no slot`);
  for (const id of named) if (!born.has(id)) problems.push(`I12 the job ${id} of a slot is gone`);
  const covered = lines
    .map(({ slot, through }) => [slot, through] as const)
    .toSorted(([one], [other]) => one - other);
  covered.slice(1).forEach(([slot], index) => {
    const [, through] = covered[index]!;
    if (slot - through !== EVERY_MS) problems.push(`I12 from slot ${through} on to ${slot}`);
  });
  return problems;
}
