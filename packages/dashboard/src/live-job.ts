import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JobEventJson, JobJson } from '../../pawl/src/contract/job.ts';
import { get } from './api.ts';
import { grown, type History, NO_HISTORY } from './history.ts';
import { type Loaded, useLoaded } from './load.ts';
import { follow } from './stream.ts';

/** Before the first event of every history. */
const START = '0.0';
/** What comes within so long is shown at once: a fast job must not cost a drawing an event. */
const BATCH_MS = 100;

export interface LiveJob extends History {
  readonly job: Loaded<JobJson>;
  /** What had happened before the page was opened has come. */
  readonly hasPast: boolean;
}

/** A job and its history, as they stand at every moment. */
export function useLiveJob(id: string): LiveJob {
  const job = useLoaded(() => get<JobJson>(`./v1/jobs/${id}`), [id], { everyMs: 5_000 });
  const history = useSignal(NO_HISTORY);
  const hasPast = useSignal(false);
  useEffect(() => {
    const stop = new AbortController();
    let fresh: JobEventJson[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      timer = undefined;
      history.value = grown(history.value, fresh);
      fresh = [];
      hasPast.value = true;
      job.reload();
    };
    history.value = NO_HISTORY;
    const following = follow(`./v1/jobs/${id}/events`, {
      signal: stop.signal,
      from: START,
      see: (item) => {
        if (item.kind === 'event') fresh.push(item.event);
        timer ??= setTimeout(show, BATCH_MS);
      },
    });
    // Also where nothing of it is kept any more.
    void following.then(() => (hasPast.value = true));
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [id]);
  return { job, hasPast: hasPast.value, ...history.value };
}
