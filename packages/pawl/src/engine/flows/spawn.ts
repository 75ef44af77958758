import { createHash } from 'node:crypto';
import { type Fault, invalid, PawlError } from '../../core/errors.ts';
import type { Job } from '../../core/job.ts';
import { isStorable } from '../../core/text.ts';
import type { FlowRecords } from '../../records/flow-records.ts';
import {
  CHUNK,
  type ChildrenWait,
  chunkOp,
  growTreeOp,
  keptOp,
  markOp,
  type StoredWait,
  waitOp,
} from '../../records/flows.ts';
import { type InsertOutcome, jobAtBirth, type NewJob } from '../../store/insert.ts';
import type { RecordOp } from '../../store/records.ts';
import type { EngineContext } from '../context.ts';
import { draftJob } from '../draft.ts';
import type { Caller } from '../enqueue.ts';
import type { EnqueueRequest } from '../enqueue-request.ts';
import { checkName, UNSTORABLE } from '../enqueue-request.ts';
import { fenceOf, type Ownership, ownershipRefusal } from '../owner.ts';
import { keptRefusal } from '../kept-limit.ts';
import { notFound } from '../refusals.ts';
import { childIds, lineOf } from './children.ts';
import { type ChildItem, SPAWN_MAX, type SpawnRequest } from '../../core/flow.ts';
import { refuseBusy, waitChanged, whyRefused } from './fence.ts';
import { waitRefusal } from './suspend.ts';

/** The most children of one wait. */
export const CHILDREN_MAX = 100_000;
/** The most generations of a tree. */
export const DEPTH_MAX = 16;
const KEY_LENGTH_MAX = 128;

/**
 * Starts the children of a wait, or a part of them. The jobs, the wait and its keys are one
 * transaction, under the parent's lock: a cancel of the parent sees them all or refuses them.
 */
export async function spawn(
  context: EngineContext,
  owner: Ownership,
  request: SpawnRequest,
): Promise<{ ids: readonly string[] }> {
  checkSpawn(request);
  const [parent] = await context.store.read([owner.ref]);
  if (!parent) throw notFound(owner.ref);
  const ids = childIds(
    parent,
    request.wait,
    request.items.map(({ key }) => key),
  );
  const family: Family = { request, parent, ids, owner };
  for (;;) {
    const kept = await keptOf(context.records.flows, family);
    if (kept.isThere) return { ids };
    if (await addChildren(context, family, kept)) return { ids };
  }
}

interface Family {
  readonly request: SpawnRequest;
  readonly parent: Job;
  readonly ids: readonly string[];
  readonly owner: Ownership;
}

/** What was spawned of the wait before. */
interface Kept {
  readonly stored: StoredWait | null;
  readonly hasKeys: boolean;
  /** True where this part, or all, is there. */
  readonly isThere: boolean;
}

/** False where another request of the same owner has changed the wait meanwhile. */
async function addChildren(
  context: EngineContext,
  family: Family,
  { stored, hasKeys }: Kept,
): Promise<boolean> {
  const { request, parent, owner } = family;
  const { wait, items, offset = 0 } = request;
  refuse(ownershipRefusal(parent, owner) ?? waitRefusal(context, parent));
  const line = await lineOf(context, parent);
  refuseDepth(line);
  if (stored === null) refuse(await keptRefusal(context, parent, { added: 1 }));
  const drafts = await draftChildren(context, family, line.at(-1)!);
  const isRisky = drafts.some(({ documentId }) => (documentId ?? null) !== null);
  const set = setAfter(context, request, { stored, drafts, isRisky });
  const chunk = { keys: items.map(({ key }) => key), digest: digestOf(items) };
  const { ref } = owner;
  const ops: RecordOp[] = [
    { ...fenceOf(owner), isUncancelled: true },
    waitOp(ref, wait, set, stored?.record ?? 'absent'),
    chunkOp(ref, { wait, number: offset / CHUNK, chunk }),
    markOp(ref),
    ...(stored === null ? [keptOp(ref, 1)] : []),
    ...(hasKeys ? [] : [growTreeOp(line.at(-1)!, drafts.length)]),
  ];
  const made = await context.store.insert(drafts, { with: ops });
  if (made.kind === 'refused') {
    if (made.reason === 'version' || made.reason === 'exists') return false;
    const { reason } = made;
    throw await whyRefused(context, owner, reason === 'fenced' ? 'spawn' : reason);
  }
  tellBirths(context, drafts, made.outcomes);
  await refuseBusy(context, drafts, made.outcomes);
  if (isRisky && request.isLast) await complete(context, owner, wait);
  return true;
}

function checkSpawn({ wait, type, items, offset = 0, isLast }: SpawnRequest): void {
  const faults: Fault[] = [...checkName('/wait', wait), ...checkName('/type', type)];
  if (items.length > SPAWN_MAX || (!isLast && items.length < SPAWN_MAX)) {
    const message = `must be ${SPAWN_MAX} in each request but the last, which may have fewer`;
    faults.push({ pointer: '/items', message });
  }
  if (!Number.isInteger(offset) || offset < 0 || offset % SPAWN_MAX !== 0) {
    faults.push({ pointer: '/offset', message: `must be a multiple of ${SPAWN_MAX}` });
  }
  const seen = new Set<string>();
  for (const [index, { key }] of items.entries()) {
    const pointer = `/items/${index}/key`;
    if (typeof key !== 'string' || key === '' || key.length > KEY_LENGTH_MAX) {
      const message = `must be a text of 1 to ${KEY_LENGTH_MAX} characters`;
      faults.push({ pointer, message });
    } else if (!isStorable(key)) faults.push({ pointer, message: UNSTORABLE });
    else if (seen.has(key)) faults.push({ pointer, message: `is the second "${key}" of the wait` });
    seen.add(key);
  }
  if (faults.length > 0) throw invalid(faults);
  if (offset + items.length > CHILDREN_MAX) {
    const message = `the wait "${wait}" has more than ${CHILDREN_MAX} children`;
    throw new PawlError('LIMIT_EXCEEDED', message, { details: { limit: CHILDREN_MAX } });
  }
}

function digestOf(items: readonly ChildItem[]): string {
  const hash = createHash('sha256');
  for (const { key, input, inputHash } of items) {
    hash.update(JSON.stringify([key, inputHash ?? input]));
  }
  return hash.digest('base64url');
}

/** Throws WAIT_CHANGED where something else was spawned under the name. */
async function keptOf(flows: FlowRecords, { request, owner }: Family): Promise<Kept> {
  const { wait, type, items, offset = 0, isLast } = request;
  const [stored] = (await flows.waits(owner.ref, [wait])).waits;
  if (!stored) return { stored: null, hasKeys: false, isThere: false };
  const { wait: kept } = stored;
  if (kept.kind !== 'children') throw waitChanged(wait, `a wait for a ${kept.kind}`);
  if (kept.type !== type) throw waitChanged(wait, `jobs of type "${kept.type}"`);
  const end = offset + items.length;
  if (kept.isComplete && (isLast ? end !== kept.count : end >= kept.count)) {
    throw waitChanged(wait, `${kept.count} jobs`);
  }
  const chunk = await flows.chunk(owner.ref, wait, offset / CHUNK);
  if (chunk === null) return { stored, hasKeys: false, isThere: false };
  if (chunk.digest !== digestOf(items)) throw waitChanged(wait, 'jobs with other keys or inputs');
  return { stored, hasKeys: true, isThere: kept.isComplete || !isLast };
}

function refuse(error: PawlError | null): void {
  if (error !== null) throw error;
}

function refuseDepth(line: readonly Job[]): void {
  if (line.length < DEPTH_MAX) return;
  const message = `job ${line[0]!.id} is in generation ${line.length} of its tree, the last`;
  throw new PawlError('LIMIT_EXCEEDED', message, { details: { limit: DEPTH_MAX } });
}

/** The set as it is after this part. A part that could be refused in part is completed later. */
function setAfter(
  context: EngineContext,
  request: SpawnRequest,
  given: { stored: StoredWait | null; drafts: readonly NewJob[]; isRisky: boolean },
): ChildrenWait {
  const { type, onFailure, items, offset = 0, isLast } = request;
  const kept = given.stored?.wait.kind === 'children' ? given.stored.wait : null;
  return {
    kind: 'children',
    type,
    count: Math.max(kept?.count ?? 0, offset + items.length),
    isComplete: isLast && !given.isRisky,
    onFailure,
    onParentEnd: kept?.onParentEnd ?? parentEndOf(context, request, given.drafts[0]),
    ended: null,
  };
}

/** Children that cannot be cancelled outlive their parent; to ask otherwise is refused. */
function parentEndOf(
  { registry }: EngineContext,
  { onParentEnd, type }: SpawnRequest,
  draft: NewJob | undefined,
): ChildrenWait['onParentEnd'] {
  if (draft === undefined) return onParentEnd ?? 'cancel';
  const lifecycle = registry.lifecycle(draft.lifecycle, draft.lifecycleVersion);
  const canCancel = lifecycle.places.some(({ phase }) => phase === 'cancelled');
  if (canCancel || onParentEnd !== 'cancel')
    return onParentEnd ?? (canCancel ? 'cancel' : 'abandon');
  const why = `jobs of "${type}" cannot be cancelled (lifecycle ${lifecycle.name})`;
  const message = `${why}: use "abandon"`;
  throw invalid([{ pointer: '/onParentEnd', message }]);
}

/** Past the watermarks, which are for new work: what was begun is to be finished. */
async function draftChildren(
  context: EngineContext,
  { request, parent, ids }: Family,
  root: Job,
): Promise<NewJob[]> {
  const caller = { tenant: parent.tenant, principal: parent.requestedBy };
  const drafts: NewJob[] = [];
  for (const [index, { key, input, options = {} }] of request.items.entries()) {
    const wish = { type: request.type, ...options, input: JSON.parse(input) as unknown };
    const draft = await draftChild(context, wish, caller).catch((error: unknown) => {
      throw atItem(error, index);
    });
    const ref = { tenant: parent.tenant, id: ids[index]! };
    drafts.push({
      ...draft,
      id: ref.id,
      input: await context.largeInputs.small(ref, input),
      deadlineAt: parent.deadlineAt,
      correlationId: parent.correlationId ?? root.id,
      traceId: parent.traceId,
      limitKey: draft.limitKey ?? parent.limitKey,
      awaitedBy: { jobId: parent.id, wait: request.wait, key },
    });
  }
  return drafts;
}

async function draftChild(
  context: EngineContext,
  wish: EnqueueRequest,
  caller: Caller,
): Promise<NewJob> {
  await context.inputs.check(wish);
  return draftJob(context, wish, caller);
}

/** What is wrong with one of the items is told by its place in the request. */
function atItem(error: unknown, index: number): unknown {
  if (!(error instanceof PawlError) || error.faults.length === 0) return error;
  const before = `/items/${index}`;
  const faults = error.faults.map((one) => ({ ...one, pointer: before + one.pointer }));
  return new PawlError(error.code, error.message, { faults, details: error.details, cause: error });
}

function tellBirths(
  { observer, wakeSignal, live }: EngineContext,
  drafts: readonly NewJob[],
  outcomes: readonly InsertOutcome[],
): void {
  const born = drafts.flatMap((draft, index) => {
    const outcome = outcomes[index]!;
    return outcome.kind === 'created' ? [jobAtBirth(draft, outcome.at)] : [];
  });
  if (born.length === 0) return;
  observer?.enqueued(born);
  wakeSignal.born(born);
  live.born(born);
}

/** All children are there: the wait can be decided. */
async function complete(context: EngineContext, owner: Ownership, name: string): Promise<void> {
  const { flows } = context.records;
  for (;;) {
    const [stored] = (await flows.waits(owner.ref, [name])).waits;
    if (stored?.wait.kind !== 'children') throw notFound(owner.ref);
    const wait = { ...stored.wait, isComplete: true };
    const written = await flows.write([
      fenceOf(owner),
      waitOp(owner.ref, name, wait, stored.record),
    ]);
    if (written.kind === 'written') return;
    if (written.reason === 'fenced') throw await whyRefused(context, owner, written.reason);
  }
}
