import type { JobEvent } from '../../core/event.ts';
import type { Job } from '../../core/job.ts';
import { isTerminal } from '../../core/phase.ts';
import type { TailItem } from '../../store/query.ts';
import type { EngineContext } from '../context.ts';
import type { Batch, FollowOptions } from './follower.ts';

/** An event as an observer receives it. */
export interface Observation {
  readonly event: JobEvent;
  readonly jobType: string;
  readonly correlationId: string | null;
  readonly traceId: string | null;
  /** The job as it stands by now, which may be further on; null: retention has taken it. */
  readonly job: () => Promise<Job | null>;
}

/** A transition of a job from one state to another. */
export interface StatusChange extends Observation {
  readonly from: string;
  readonly to: string;
}

type Told<What> = (what: What) => Promise<void> | void;

/**
 * Who wants to hear what happens to jobs: of all types unless some are named, durable by name, at
 * least once, and one job's events in their order. Each observer has a place of its own in the log:
 * one that throws is told the same event again, with growing pauses, and holds up nobody else. No
 * event is ever left out for it, since a later one may make no sense without.
 */
export interface Observer extends Omit<FollowOptions, 'handle' | 'gathers'> {
  readonly types?: readonly string[];
  /** All that follows, and every other event. */
  readonly onEvent?: Told<Observation>;
  readonly onJobCreated?: Told<Observation>;
  readonly onStatusChanged?: Told<StatusChange>;
  /** A job has ended, well or badly: `event.phase` says how. */
  readonly onJobCompleted?: Told<Observation>;
}

/** How an observer follows the log. */
export function followOptionsOf(context: EngineContext, observer: Observer): FollowOptions {
  const { types, onEvent, onJobCreated, onStatusChanged, onJobCompleted, ...options } = observer;
  const isOfType = ({ jobType }: TailItem): boolean => types?.includes(jobType) ?? true;
  const tell = async (item: TailItem): Promise<void> => {
    const seen = observationOf(context, item);
    const { from, to, phase, note } = item.event;
    await onEvent?.(seen);
    if (note > 0 || from === to) return;
    if (from === null) await onJobCreated?.(seen);
    else await onStatusChanged?.({ ...seen, from, to });
    if (isTerminal(phase)) await onJobCompleted?.(seen);
  };
  const handle = async (items: readonly TailItem[], batch: Batch): Promise<void> => {
    for (const item of items) {
      batch.signal.throwIfAborted();
      if (isOfType(item)) await tell(item);
      batch.reached(item);
    }
  };
  return { ...options, handle };
}

function observationOf({ store }: EngineContext, item: TailItem): Observation {
  const { event, jobType, correlationId, traceId } = item;
  const job = async (): Promise<Job | null> =>
    (await store.read([{ tenant: event.tenant, id: event.jobId }]))[0] ?? null;
  return { event, jobType, correlationId, traceId, job };
}
