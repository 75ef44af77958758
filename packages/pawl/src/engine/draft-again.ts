import { apiActor } from '../core/actor.ts';
import type { Instant } from '../core/clock.ts';
import { flowIdOf } from '../core/ids.ts';
import type { Job, JobRef, JsonText } from '../core/job.ts';
import { labelsIn, type ParentKind } from '../core/job-labels.ts';
import { birthPlaces } from '../core/lifecycle.ts';
import { PAYLOADS, payloadText } from '../core/payload.ts';
import type { IdempotencyClaim, NewJob } from '../store/insert.ts';
import type { EngineContext } from './context.ts';
import type { Caller } from './enqueue.ts';
import { refuseInput, takesInput } from './stored-definition.ts';

/** What is done once more, and what is said of it otherwise. */
export interface Again {
  readonly caller: Caller;
  readonly parent: Pick<Job, 'id' | 'type' | 'correlationId' | 'input'> & Partial<Job>;
  readonly kind: Extract<ParentKind, 'rerun' | 'replay'>;
  /** Instead of the parent's. */
  readonly input?: unknown;
  readonly id?: string;
  readonly runAt?: Instant;
  readonly idempotency?: IdempotencyClaim;
}

/**
 * A new job from one that has ended, linked to it by `parentJobId` and under the type's policy of
 * today: of the same queue, priority, metadata and labels.
 */
export async function draftAgain(context: EngineContext, again: Again): Promise<NewJob> {
  const { parent, caller, input } = again;
  const { tenant, principal } = caller;
  const record = await context.registry.type(tenant, parent.type);
  if (input !== undefined) {
    if (!takesInput(record)) refuseInput(input);
    await context.inputs.check({ type: parent.type, input });
  }
  const json = input === undefined ? null : payloadText(PAYLOADS.input, input, '/input');
  // A replay takes the place of a job that somebody waits for.
  const place = again.kind === 'replay' ? (parent.awaitedBy ?? null) : null;
  const id = again.id ?? (place === null ? context.ids.next() : flowIdOf(context.ids.next()));
  const policy = await context.registry.policy(record.policy);
  const lifecycle = context.registry.lifecycle(policy.lifecycle, policy.lifecycleVersion);
  return {
    tenant,
    id,
    type: parent.type,
    queue: parent.queue ?? 'default',
    lifecycle: lifecycle.name,
    lifecycleVersion: lifecycle.version,
    policy: record.policy,
    maxAttempts: policy.retry.maxAttempts,
    places: birthPlaces(lifecycle, true),
    priority: parent.priority ?? 0,
    runAt: again.runAt ?? null,
    deadlineAt: null,
    input: await inputOf(context, { tenant, id }, { json, parent }),
    metadata: parent.metadata ?? null,
    ...labelsIn(parent),
    correlationId: parent.correlationId ?? parent.id,
    requestedBy: principal,
    parentJobId: parent.id,
    parentKind: again.kind,
    awaitedBy: place,
    idempotency: again.idempotency ?? null,
    actor: apiActor(principal),
  };
}

/** What is kept for the parent outside the database goes with it, so the new job has its own. */
function inputOf(
  { largeInputs }: EngineContext,
  ref: JobRef,
  { json, parent }: Pick<Again, 'parent'> & { json: JsonText | null },
): Promise<JsonText> {
  if (json !== null) return largeInputs.small(ref, json);
  return largeInputs.copied(ref, { ...parent, tenant: ref.tenant });
}
