import type { Instant } from '../../core/clock.ts';
import { payloadHash } from '../../core/canonical-json.ts';
import { PawlError } from '../../core/errors.ts';
import { derivedId } from '../../core/ids.ts';
import type { FireEntry } from '../../records/fires.ts';
import type { EngineContext } from '../context.ts';
import { draftJob } from '../draft.ts';
import type { Caller } from '../enqueue.ts';
import type { FullDefinition } from './definition.ts';

interface Fired {
  readonly tenant: string;
  readonly name: string;
  readonly id: string;
  readonly createdBy: string | null;
  readonly definition: FullDefinition;
}

/** As events name whoever made the job. */
export function scheduleActor(name: string): string {
  return `schedule:${name}`;
}

/**
 * The job of a slot, under an id that every process derives alike; of a run by hand (`by`), under
 * one of its own. A job that cannot be made (its type is gone, say) is refused with the reason.
 */
export async function draftFire(
  context: EngineContext,
  fired: Fired,
  { slot, by, key = null }: { slot: Instant; by: Caller | null; key?: string | null },
): Promise<
  | { readonly kind: 'job'; readonly entry: FireEntry }
  | { readonly kind: 'refused'; readonly error: PawlError; readonly entry: FireEntry }
> {
  const { tenant, name, createdBy, definition } = fired;
  const { deadlineMs, metadata, ...request } = definition.job;
  try {
    const job = await draftJob(
      context,
      {
        ...request,
        id: by === null ? derivedId(slot, `${tenant}/${fired.id}/${slot}`) : context.ids.next(),
        metadata: { ...metadata, schedule: { name, slot } },
        ...(key === null ? {} : repeatable(fired, key)),
        ...(deadlineMs === undefined ? {} : { deadlineAt: slot + deadlineMs }),
      },
      by ?? { tenant, principal: createdBy },
    );
    const actor = by === null ? scheduleActor(name) : job.actor;
    return { kind: 'job', entry: { kind: 'job', slot, job: { ...job, actor } } };
  } catch (error) {
    if (!(error instanceof PawlError)) throw error;
    const reason = `${error.code}: ${error.message}`;
    return { kind: 'refused', error, entry: { kind: 'refused', slot, reason } };
  }
}

/** The same run asked for again is the same job, though its slot is another moment. */
function repeatable({ id, definition }: Fired, key: string) {
  const idempotencyKey = `schedule ${payloadHash([id, key])}`;
  return { idempotencyKey, payloadHash: payloadHash(definition.job) };
}
