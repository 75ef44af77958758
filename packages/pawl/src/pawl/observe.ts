import { type Duration, durationMs } from '../core/duration.ts';
import type { Engine } from '../engine/engine.ts';
import type { LogFollower } from '../engine/follow/log-follower.ts';
import type { Observation } from '../engine/follow/observer.ts';
import type { JobEventSnapshot, JobSnapshot } from '../handle/job-snapshot.ts';
import type { JobType } from '../handler/job-type.ts';
import { nameOf } from './dead-letters.ts';
import type { Payloads } from './payloads.ts';
import { eventSnapshotOf, snapshotOf } from './snapshot.ts';

/** An event as an observer receives it. */
export interface ObservedEvent {
  readonly tenant: string;
  readonly event: JobEventSnapshot;
  readonly jobType: string;
  readonly correlationId: string;
  /** The job as it stands by now, which may be further on; null: retention has taken it. */
  readonly job: () => Promise<JobSnapshot | null>;
}

/** A transition of a job from one state to another. */
export interface ObservedChange extends ObservedEvent {
  readonly from: string;
  readonly to: string;
}

type Hear<Event> = (event: Event) => Promise<void> | void;

/**
 * Receives the events of jobs, of all types by default. Delivery is durable under the observer's
 * name, at least once, and in order for each job. An event whose handling throws is delivered again
 * with backoff; other observers are not delayed.
 */
export interface JobObserver {
  /** Its place in the log is kept under this name. */
  readonly name: string;
  readonly types?: readonly (JobType | string)[];
  /** Where it begins when its name is new; default: at the start of what is kept. */
  readonly from?: 'start' | 'now';
  /** How often it looks for news; default: every half second. */
  readonly every?: Duration;
  /** All that follows, and every other event. */
  readonly onEvent?: Hear<ObservedEvent>;
  readonly onJobCreated?: Hear<ObservedEvent>;
  readonly onStatusChanged?: Hear<ObservedChange>;
  /** A job has ended, well or badly: `event.type` says how. */
  readonly onJobCompleted?: Hear<ObservedEvent>;
}

/** A follower for the observer, to be started. */
export function followerFor(
  engine: Engine,
  payloads: Payloads,
  observer: JobObserver,
): LogFollower {
  const { name, types, from, every, onEvent, onJobCreated, onStatusChanged, onJobCompleted } =
    observer;
  const seen = async (observed: Observation): Promise<ObservedEvent> => {
    const { event, jobType, correlationId } = observed;
    const cursors = await engine.cursors(event.tenant);
    return {
      tenant: event.tenant,
      event: eventSnapshotOf(payloads.event(event), cursors),
      jobType,
      correlationId: correlationId ?? event.jobId,
      job: async () => {
        const job = await observed.job();
        return job === null ? null : snapshotOf(await payloads.job(job));
      },
    };
  };
  const told =
    (hear: Hear<ObservedEvent>): Hear<Observation> =>
    async (observed) =>
      hear(await seen(observed));
  return engine.observe({
    name,
    ...(types === undefined ? {} : { types: types.map(nameOf) }),
    ...(from === undefined ? {} : { from }),
    ...(every === undefined ? {} : { everyMs: durationMs(every, '/every') }),
    ...(onEvent === undefined ? {} : { onEvent: told(onEvent) }),
    ...(onJobCreated === undefined ? {} : { onJobCreated: told(onJobCreated) }),
    ...(onJobCompleted === undefined ? {} : { onJobCompleted: told(onJobCompleted) }),
    ...(onStatusChanged === undefined
      ? {}
      : {
          onStatusChanged: async ({ from: state, to, ...observed }) =>
            onStatusChanged({ ...(await seen(observed)), from: state, to }),
        }),
  });
}
