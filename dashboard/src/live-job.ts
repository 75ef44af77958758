import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JobEventJson, JobJson } from '../../src/http/schema/job.ts';
import { get } from './api.ts';
import { type Loaded, useLoaded } from './load.ts';
import { follow } from './stream.ts';

/** Before the first event of every history. */
const START = '0.0';
/** What comes within so long is shown at once: a fast job must not cost a drawing an event. */
const BATCH_MS = 100;

export interface LiveJob {
  readonly job: Loaded<JobJson>;
  /** All of them, from the first. */
  readonly events: readonly JobEventJson[];
}

/** A job and its history, as they stand at every moment. */
export function useLiveJob(id: string): LiveJob {
  const job = useLoaded(() => get<JobJson>(`./v1/jobs/${id}`), [id], { everyMs: 5_000 });
  const events = useSignal<readonly JobEventJson[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    let fresh: JobEventJson[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      timer = undefined;
      events.value = [...events.value, ...fresh];
      fresh = [];
      job.reload();
    };
    events.value = [];
    void follow(`./v1/jobs/${id}/events`, {
      signal: stop.signal,
      from: START,
      see: (item) => {
        if (item.kind === 'event') fresh.push(item.event);
        timer ??= setTimeout(show, BATCH_MS);
      },
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [id]);
  return { job, events: events.value };
}

/** The text that the job has generated so far. */
export function tokensOf(events: readonly JobEventJson[]): string {
  return events
    .filter(({ type }) => type === 'job_tokens')
    .map(({ metadata }) => (typeof metadata['text'] === 'string' ? metadata['text'] : ''))
    .join('');
}
