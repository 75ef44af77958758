import { invalid, PawlError } from '../../core/errors.ts';
import { flowIdOf, isGatedId } from '../../core/ids.ts';
import type { JobRef } from '../../core/job.ts';
import { isUuid } from '../../core/uuid.ts';
import { markOp, needOp, suspensionOp, waitOp } from '../../records/flows.ts';
import type { InsertJobs, NewJob } from '../../store/insert.ts';
import type { RecordOp } from '../../store/records.ts';
import type { EngineContext } from '../context.ts';
import { draftAll } from '../draft.ts';
import { type EnqueueOptions, type EnqueueResult, insertWhole } from '../enqueue.ts';
import type { GraphItem, OnNeedFailed } from './flows.ts';
import { farFrom } from './suspend.ts';

/** The name of the wait that `after` makes. */
const AFTER = 'after';
/** The most needs of one job. */
const NEEDS_MAX = 1_000;

/**
 * Accepts jobs of which some begin after others, whole or not at all. A job with needs stands in
 * its lifecycle's ready state, put off until it is woken.
 */
export async function enqueueGraph(
  context: EngineContext,
  items: readonly GraphItem[],
  options: EnqueueOptions,
): Promise<EnqueueResult[]> {
  const { tenant } = options.caller;
  checkItems(items, options);
  const ids = items.map(({ request }) => request.id ?? flowIdOf(context.ids.next()));
  const needs = needsIn(items, ids);
  refuseCycles(ids, needs);
  await refuseUnknown(context, tenant, { ids, needs });
  const requests = items.map(({ request }, index) => ({ ...request, id: ids[index]! }));
  const far = farFrom(await context.store.now());
  const drafts = (await draftAll(context, requests, options)).map((draft, index) =>
    draft instanceof PawlError || needs[index]!.length === 0 ? draft : { ...draft, runAt: far },
  );
  const opsFor = (jobs: readonly NewJob[]): RecordOp[] =>
    jobs.flatMap((job, ifCreated) => {
      const index = ids.indexOf(job.id);
      const own = needs[index]!;
      if (own.length === 0) return [];
      const onNeedFailed = failureRule(context, job, { item: items[index]!, index });
      return afterOps(job, { needs: own, onNeedFailed, ifCreated });
    });
  const insert: InsertJobs = async (jobs) => {
    const made = await context.store.insert(jobs, { with: opsFor(jobs), isWhole: true });
    if (made.kind === 'inserted') return [...made.outcomes];
    throw new PawlError('STORE_UNAVAILABLE', 'a record of this graph was refused; try again');
  };
  const results = await insertWhole(context, drafts, { options, insert });
  context.flowLooks.need(needs.flat().map((id) => ({ tenant, id })));
  context.flowLooks.hurry(results.flatMap((one) => (one.kind === 'created' ? [one.job] : [])));
  return results;
}

/** The id tells whoever reads the log that the job may wait for others. */
const NOT_GATED =
  'must be a UUID of version 8 with the variant digit 9 (xxxxxxxx-xxxx-8xxx-9xxx-xxxxxxxxxxxx) ' +
  'beside `after`, or be left out';

function checkItems(items: readonly GraphItem[], { within }: EnqueueOptions): void {
  if (within !== undefined) {
    const message = 'must be left out: a graph is written by a transaction of its own';
    throw invalid([{ pointer: '/tx', message }]);
  }
  const seen = new Set<string>();
  const faults = items.flatMap(({ request, ref, after = [] }, index) => {
    const found: { pointer: string; message: string }[] = [];
    if (ref !== undefined && (seen.has(ref) || isUuid(ref) || ref === '')) {
      const message = 'must be a name of its own within the call, and no UUID';
      found.push({ pointer: `/${index}/ref`, message });
    }
    if (ref !== undefined) seen.add(ref);
    if (after.length > NEEDS_MAX) {
      found.push({ pointer: `/${index}/after`, message: `must be ${NEEDS_MAX} at most` });
    }
    if (after.length === 0) return found;
    if (request.id !== undefined && !isGatedId(request.id)) {
      found.push({ pointer: `/${index}/id`, message: NOT_GATED });
    }
    for (const name of ['runAt', 'delayMs', 'unique'] as const) {
      if (request[name] === undefined) continue;
      found.push({ pointer: `/${index}/${name}`, message: 'must be left out beside `after`' });
    }
    if (request.submit === false) {
      found.push({ pointer: `/${index}/submit`, message: 'must be left out beside `after`' });
    }
    return found;
  });
  if (faults.length > 0) throw invalid(faults);
}

/** The ids that each item needs. */
function needsIn(items: readonly GraphItem[], ids: readonly string[]): string[][] {
  const byRef = new Map(items.map(({ ref = '' }, index) => [ref, ids[index]!]));
  return items.map(({ after = [] }, index) => {
    const own = [...new Set(after)].map((name, at) => {
      const id = byRef.get(name) ?? (isUuid(name) ? name : null);
      if (id !== null) return id;
      const message = `names "${name}", which is neither a ref of this call nor an id`;
      throw invalid([{ pointer: `/${index}/after/${at}`, message }]);
    });
    if (!own.includes(ids[index]!)) return own;
    throw invalid([{ pointer: `/${index}/after`, message: 'must not name the job itself' }]);
  });
}

/** Takes away who needs nobody that is left, until nobody is; who stays is in a circle. */
function refuseCycles(ids: readonly string[], needs: readonly (readonly string[])[]): void {
  let open = ids.map((_, index) => index);
  for (;;) {
    const left = new Set(open.map((index) => ids[index]!));
    const next = open.filter((index) => needs[index]!.some((id) => left.has(id)));
    if (next.length === 0) return;
    if (next.length === open.length) {
      const message = `items ${next.join(', ')} wait for each other: take one \`after\` away`;
      throw invalid([{ pointer: `/${next[0]}/after`, message }]);
    }
    open = next;
  }
}

async function refuseUnknown(
  { store }: EngineContext,
  tenant: string,
  { ids, needs }: { ids: readonly string[]; needs: readonly (readonly string[])[] },
): Promise<void> {
  const own = new Set(ids);
  const others = [...new Set(needs.flat())].filter((id) => !own.has(id));
  const found = others.length === 0 ? [] : await store.read(others.map((id) => ({ tenant, id })));
  const unknown = others.find((_, index) => !found[index]);
  if (unknown === undefined) return;
  const index = needs.findIndex((all) => all.includes(unknown));
  throw invalid([
    { pointer: `/${index}/after`, message: `names ${unknown}: there is no such job` },
  ]);
}

/** Where jobs cannot be cancelled they are held by default, and to ask otherwise is refused. */
function failureRule(
  { registry }: EngineContext,
  { lifecycle: name, lifecycleVersion }: NewJob,
  { item: { onNeedFailed }, index }: { item: GraphItem; index: number },
): OnNeedFailed {
  const lifecycle = registry.lifecycle(name, lifecycleVersion);
  const canCancel = lifecycle.places.some(({ phase }) => phase === 'cancelled');
  if (canCancel || onNeedFailed !== 'cancel')
    return onNeedFailed ?? (canCancel ? 'cancel' : 'hold');
  const message = `must be "run" or "hold": the lifecycle ${name} has no cancellation`;
  throw invalid([{ pointer: `/${index}/onNeedFailed`, message }]);
}

/** What is kept for a job that begins after others, in the transaction of its birth. */
export function afterOps(
  { tenant, id }: JobRef,
  made: { needs: readonly string[]; onNeedFailed: OnNeedFailed; ifCreated: number },
): RecordOp[] {
  const ref = { tenant, id };
  const { needs, onNeedFailed, ifCreated } = made;
  const puts = [
    waitOp(ref, AFTER, { kind: 'jobs', needs, onNeedFailed }),
    suspensionOp(ref, { epoch: 1, phase: 'ready', waits: [AFTER] }),
    markOp(ref),
    ...needs.flatMap((need) => [needOp(ref, need), markOp({ tenant, id: need })]),
  ];
  return puts.map((op) => ({ ...op, ifCreated }));
}
