import { PawlError } from '../../core/errors.ts';
import { TREE_MAX } from '../../records/flows.ts';
import type { InsertOutcome, NewJob } from '../../store/insert.ts';
import type { RefusalReason } from '../../store/records.ts';
import type { EngineContext } from '../context.ts';
import { documentBusy } from '../enqueue-answer.ts';
import { type Ownership, ownershipRefusal } from '../owner.ts';
import { leaseExpired, notFound } from '../refusals.ts';

export async function whyRefused(
  { store }: EngineContext,
  owner: Ownership,
  reason: RefusalReason | 'spawn',
): Promise<PawlError> {
  if (reason === 'full') {
    const message = `the tree of job ${owner.ref.id} has more than ${TREE_MAX} jobs`;
    return new PawlError('LIMIT_EXCEEDED', message, { details: { limit: TREE_MAX } });
  }
  const [parent] = await store.read([owner.ref]);
  if (!parent) return notFound(owner.ref);
  const lost = ownershipRefusal(parent, owner);
  if (lost !== null) return lost;
  if (parent.cancel === null || reason !== 'spawn') {
    return leaseExpired(parent, owner.token);
  }
  const message = `job ${parent.id} is being cancelled: it starts no more children`;
  return new PawlError('ILLEGAL_TRANSITION', message);
}

export function waitChanged(name: string, kept: string): PawlError {
  const message = `under the name "${name}" this job has kept ${kept}, and now asks for another`;
  return new PawlError('WAIT_CHANGED', message, { details: { wait: name } });
}

/** A child that must wait for its own ancestor would do so for ever: it is refused at the call. */
export async function refuseBusy(
  { store }: EngineContext,
  drafts: readonly NewJob[],
  outcomes: readonly InsertOutcome[],
): Promise<void> {
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.kind !== 'busy') continue;
    const { tenant, id, awaitedBy } = drafts[index]!;
    const [holder] = await store.read([{ tenant, id: outcome.id }]);
    if (!holder) throw notFound({ tenant, id });
    const { message, details } = documentBusy(holder);
    const what = `child "${awaitedBy!.key}" of "${awaitedBy!.wait}" was refused: ${message}`;
    throw new PawlError('CONCURRENCY_CONFLICT', what, { details: { ...details } });
  }
}
