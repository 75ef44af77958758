import { SYSTEM_ACTOR } from '../../core/actor.ts';
import type { Instant } from '../../core/clock.ts';
import type { Job, JobRef } from '../../core/job.ts';
import { rowsOf } from '../../core/lifecycle.ts';
import {
  type JobsWait,
  type StoredSuspension,
  type StoredWait,
  waitOp,
  wakeOp,
} from '../../records/flows.ts';
import type { RecordOp } from '../../store/records.ts';
import type { EngineContext } from '../context.ts';
import { type Plan, type Task, transition } from '../transition.ts';
import type { OpenChildren, OverChunks } from './open-sets.ts';
import { endOf, setState, standIn } from './children.ts';

export interface LookOptions {
  /** Larger sets of children are left to who follows the log, and told of. */
  readonly setMax?: number;
  readonly onLarge?: (job: JobRef) => void;
  /** Gets open children of a set that is not decided. */
  readonly onOpen?: (job: JobRef, open: OpenChildren) => void;
  /** What was over of a set at an earlier look. */
  readonly known?: (job: JobRef, wait: string) => OverChunks | null;
}

/**
 * Wakes those of these jobs that wait for something which is there. Read, then compare and set on
 * the job's version and its suspension: who looks twice, or too late, changes nothing. Returns how
 * many were woken or ended.
 */
export async function look(
  context: EngineContext,
  refs: readonly JobRef[],
  options: LookOptions = {},
): Promise<number> {
  if (refs.length === 0) return 0;
  const outcomes = await transition(
    context,
    refs.map((ref) => taskOf(ref, (job) => planWake(context, job, options))),
  );
  const woken = outcomes.flatMap((one) => (one.kind === 'moved' ? [one.before] : []));
  const failed = outcomes.find((one) => one.kind === 'refused' && one.error.code !== 'NOT_FOUND');
  if (failed?.kind === 'refused') throw failed.error;
  await letIn(context, woken);
  return woken.length;
}

function taskOf({ tenant, id }: JobRef, plan: Task['plan']): Task {
  return {
    ref: { tenant, id },
    actor: SYSTEM_ACTOR,
    known: null,
    fence: (job) => ({ kind: 'version', version: job.version }),
    plan,
  };
}

async function planWake(context: EngineContext, job: Job, options: LookOptions): Promise<Plan> {
  const suspension = await suspensionOf(context, job);
  if (suspension === null) return { kind: 'leave' };
  const { waits, isFailed, counted } = await decidedOf(context, job, { suspension, options });
  if (isFailed !== null) {
    return { kind: 'request', request: { on: 'cancel', reason: isFailed } };
  }
  if (waits.length === 0) return { kind: 'leave' };
  return {
    kind: 'annotate',
    annotation: { event: 'job_woken', cause: null, payload: { waits }, wake: true },
    with: [wakeOp({ tenant: job.tenant, id: job.id }, suspension), ...counted],
  };
}

/** What a job waits for now; null where it does not wait. */
export async function suspensionOf(
  { records }: EngineContext,
  job: Job,
): Promise<StoredSuspension | null> {
  if (job.phase !== 'ready' && job.phase !== 'waiting') return null;
  const [found] = await records.flows.suspensions([job]);
  if (!found || found.epoch !== job.epoch || found.phase !== job.phase) return null;
  return found;
}

/** `isFailed`: why the job is to be cancelled instead, since one that it needs has failed. */
interface Decided {
  readonly waits: readonly string[];
  readonly isFailed: string | null;
  /** Keep how many children ended how, so that nobody has to count them again. */
  readonly counted: readonly RecordOp[];
}

async function decidedOf(
  context: EngineContext,
  job: Job,
  { suspension, options }: { suspension: StoredSuspension; options: LookOptions },
): Promise<Decided> {
  const { at, waits } = await context.records.flows.waits(job, suspension.waits);
  const decided: string[] = [];
  const counted: RecordOp[] = [];
  for (const stored of waits) {
    if (stored === null) continue;
    if (stored.wait.kind === 'jobs') {
      const needs = await needsOf(context, job, stored.wait);
      if (needs.failed !== null && stored.wait.onNeedFailed === 'cancel') {
        return { waits: [], isFailed: needs.failed, counted };
      }
      if (needs.isOver) decided.push(stored.name);
    } else if (await isDecided(context, job, { stored, at, options, counted })) {
      decided.push(stored.name);
    }
  }
  return { waits: decided, isFailed: null, counted };
}

interface Asked {
  readonly stored: StoredWait;
  readonly at: Instant;
  readonly options: LookOptions;
  readonly counted: RecordOp[];
}

async function isDecided(context: EngineContext, job: Job, given: Asked): Promise<boolean> {
  const { stored, at, options, counted } = given;
  const { name, wait } = stored;
  switch (wait.kind) {
    case 'time':
      return wait.until <= at;
    case 'message':
      if (wait.taken !== null) return true;
      return (await context.records.flows.inbox(job, wait.message, 1)).length > 0;
    case 'first':
      return wait.winner !== null || isAnyDecided(context, job, { ...given, wait });
    case 'children': {
      const { setMax = Infinity, onOpen, onLarge, known = () => null } = options;
      if (wait.count > setMax) {
        onLarge?.(job);
        return false;
      }
      const asked = { wait: name, set: wait, known: known(job, name) };
      const state = await setState(context, job, asked);
      const { succeeded, failed, open: keys, over } = state;
      if (wait.ended === null && succeeded + failed === wait.count && state.isDecided) {
        const ended = { succeeded, failed };
        counted.push(waitOp(job, name, { ...wait, ended }, stored.record));
      }
      const isFailFast = wait.onFailure === 'failFast';
      if (!state.isDecided) onOpen?.(job, { wait: name, keys, over, isFailFast });
      return state.isDecided;
    }
    case 'jobs':
      return false;
  }
}

async function isAnyDecided(
  context: EngineContext,
  job: Job,
  asked: Asked & { wait: { readonly members: readonly { readonly name: string }[] } },
): Promise<boolean> {
  const names = asked.wait.members.map(({ name }) => name);
  const { waits } = await context.records.flows.waits(job, names);
  for (const stored of waits) {
    if (stored !== null && (await isDecided(context, job, { ...asked, stored }))) return true;
  }
  return false;
}

/** Jobs that another one needs: whether all are over, and what is said of one that failed. */
async function needsOf(
  context: EngineContext,
  { tenant }: JobRef,
  { needs, onNeedFailed }: JobsWait,
): Promise<{ isOver: boolean; failed: string | null }> {
  const jobs = await context.store.read(needs.map((id) => ({ tenant, id })));
  let isOver = true;
  let failed: string | null = null;
  for (const [index, job] of jobs.entries()) {
    // A need that retention has taken has ended; how, nobody knows any more.
    if (!job) continue;
    const stand = onNeedFailed === 'hold' ? await standIn(context, job) : job;
    const end = stand === null ? null : endOf(stand);
    if (end === null) isOver = false;
    if (end === 'failed' && onNeedFailed !== 'run') {
      isOver = false;
      failed ??= `job ${needs[index]}, which it needs, ended as ${stand!.state}`;
    }
  }
  return { isOver, failed };
}

/** A job that is not claimed where it waits is made ready; the sweep does it where this fails. */
async function letIn(context: EngineContext, woken: readonly Job[]): Promise<void> {
  const { registry, wakeSignal } = context;
  const isRequeued = (job: Job): boolean => {
    const lifecycle = registry.lifecycle(job.lifecycle, job.lifecycleVersion);
    return job.phase === 'waiting' && rowsOf(lifecycle, 'requeue', job).length > 0;
  };
  const open = woken.filter((job) => !isRequeued(job)).map(({ type }) => type);
  wakeSignal.wake([...new Set(open)]);
  await transition(
    context,
    woken.filter(isRequeued).map((job) =>
      taskOf(job, (seen): Plan => {
        const isThere = seen.phase === 'waiting' && seen.version === job.version + 1;
        return isThere ? { kind: 'request', request: { on: 'requeue' } } : { kind: 'leave' };
      }),
    ),
  );
}
