import type { Instant } from '../../core/clock.ts';
import { invalid, PawlError } from '../../core/errors.ts';
import type { Job, JobRef } from '../../core/job.ts';
import { placeName, rowsOf } from '../../core/lifecycle.ts';
import { suspensionOp } from '../../records/flows.ts';
import type { EngineContext } from '../context.ts';
import type { Plan } from '../transition.ts';

/** A job that waits for no time is put off for so long: what it waits for wakes it. */
const FAR_MS = 100 * 365 * 86_400_000;

/** Until when a job without a time of its own is put off. */
export function farFrom(now: Instant): Instant {
  return now + FAR_MS;
}

/**
 * The end of a turn that waits: a snooze until the earliest of its times, with a record of what it
 * waits for and an event, which has its waits looked at once it is there.
 */
export async function planSuspension(
  context: EngineContext,
  job: Job,
  waits: readonly string[],
): Promise<Plan> {
  const refusal = waitRefusal(context, job);
  if (refusal !== null) return { kind: 'refuse', error: refusal };
  const alarm = await alarmOf(context, job, waits);
  if (alarm instanceof PawlError) return { kind: 'refuse', error: alarm };
  const { at, until } = alarm;
  const ref = { tenant: job.tenant, id: job.id };
  const delayMs = until === null ? FAR_MS : Math.max(0, until - at);
  return {
    kind: 'request',
    request: { on: 'snooze', delayMs },
    beside: ({ epoch, to }) => ({
      annotation: { event: 'job_suspended', cause: null, payload: { waits } },
      with: [suspensionOp(ref, { epoch, phase: to.phase, waits })],
    }),
  };
}

/** Why a job's lifecycle does not let it wait; null where it does. */
export function waitRefusal({ registry }: EngineContext, job: Job): PawlError | null {
  const lifecycle = registry.lifecycle(job.lifecycle, job.lifecycleVersion);
  const canWait = lifecycle.transitions.some(({ on }) => on === 'snooze');
  if (canWait && (job.phase !== 'executing' || rowsOf(lifecycle, 'snooze', job).length > 0)) {
    return null;
  }
  const message =
    `job ${job.id} cannot wait: the lifecycle ${lifecycle.name} lists no snooze ` +
    `from ${placeName(job)}; give its type a lifecycle that does, such as task`;
  return new PawlError('ILLEGAL_TRANSITION', message);
}

/** The earliest time among waits, those inside of `first` included. */
async function alarmOf(
  { records }: EngineContext,
  ref: JobRef,
  names: readonly string[],
): Promise<{ at: Instant; until: Instant | null } | PawlError> {
  const { at, waits } = await records.flows.waits(ref, names);
  const unknown = names.filter((_, index) => waits[index] === null);
  if (names.length === 0 || unknown.length > 0) {
    const what = unknown.length === 0 ? 'must name a wait' : `no wait "${unknown[0]}" has begun`;
    return invalid([{ pointer: '/waits', message: what }]);
  }
  const inside = waits.flatMap((one) =>
    one!.wait.kind === 'first' ? one!.wait.members.map(({ name }) => name) : [],
  );
  const members = inside.length === 0 ? [] : (await records.flows.waits(ref, inside)).waits;
  const times = [...waits, ...members].flatMap((one) =>
    one?.wait.kind === 'time' ? [one.wait.until] : [],
  );
  return { at, until: times.length === 0 ? null : Math.min(...times) };
}
