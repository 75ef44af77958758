import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Page } from '../page.ts';
import type { JobEventJson, JobJson } from '../../../src/http/schema/job.ts';
import type { LifecycleJson } from '../../../src/http/schema/lifecycle.ts';
import type { TypeJson } from '../../../src/http/schema/type.ts';
import { get } from '../api.ts';
import { useLoaded } from '../load.ts';
import { follow } from '../stream.ts';
import { Empty, ProblemBox } from '../parts/notice.tsx';
import { StateChip } from '../parts/state-chip.tsx';
import { hrefOf } from '../route.ts';
import { JobActions } from './job/actions.tsx';
import { JobContent } from './job/content.tsx';
import { JobFacts } from './job/facts.tsx';
import { JobHistory } from './job/history.tsx';
import { JobLifecycle } from './job/lifecycle.tsx';
import { JobProgress } from './job/progress.tsx';
import { JobTimeline } from './job/timeline.tsx';
import { JobWhy } from './job/why.tsx';

const EVENTS_MAX = 1_000;

/** A job's events from the start, and every new one as it happens. */
function useHistory(id: string, onChange: () => void): readonly JobEventJson[] {
  const events = useSignal<readonly JobEventJson[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    const known = new Map<string, JobEventJson>();
    const add = (found: readonly JobEventJson[]): void => {
      for (const event of found) known.set(event.id, event);
      events.value = [...known.values()].toSorted((one, other) =>
        one.timestamp < other.timestamp ? -1 : Number(one.timestamp > other.timestamp),
      );
    };
    const read = async (): Promise<void> => {
      let cursor: string | undefined;
      do {
        const path = `./v1/jobs/${id}/events`;
        const page: Page<JobEventJson> = await get(path, { limit: EVENTS_MAX, cursor });
        add(page.items);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined && !stop.signal.aborted);
    };
    void read().catch(() => undefined);
    void follow(`./v1/jobs/${id}/events`, {
      signal: stop.signal,
      see: (item) => {
        if (item.kind === 'event') add([item.event]);
        onChange();
      },
    });
    return () => stop.abort();
  }, [id]);
  return events.value;
}

/** Everything about one job, live. */
export function JobPage({ id }: { readonly id: string }) {
  const job = useLoaded(() => get<JobJson>(`./v1/jobs/${id}`), [id], { everyMs: 5_000 });
  const events = useHistory(id, job.reload);
  const found = job.value.value;
  const lifecycle = useLoaded(
    async () => (found === null ? null : get<LifecycleJson>(`./v1/lifecycles/${found.lifecycle}`)),
    [found?.lifecycle],
  );
  const type = useLoaded(
    async () =>
      found === null ? null : get<TypeJson>(`./v1/types/${encodeURIComponent(found.type)}`),
    [found?.type],
  );
  if (found === null) {
    if (job.error.value !== null) return <ProblemBox error={job.error.value} />;
    return <Empty title="Looking…" />;
  }
  return (
    <>
      <div class="head">
        <div>
          <h1>
            <a href={hrefOf(['jobs'], { type: found.type })}>{found.type}</a>{' '}
            <StateChip job={found} />
          </h1>
          <code class="quiet">{id}</code>
        </div>
        <JobActions job={found} onDone={job.reload} />
      </div>
      {found.error !== null && (
        <div class="problem">
          <b>{found.error.code}</b> {found.error.message}
          <div class="quiet">
            {found.error.class}
            {found.error.stage !== null && ` in ${found.error.stage}`}
            {found.error.retryable ? ', may be tried again' : ', is not tried again'}
          </div>
        </div>
      )}
      <JobProgress job={found} stages={type.value.value?.stages ?? []} events={events} />
      <JobWhy job={found} />
      <div class="grid">
        <JobTimeline job={found} events={events} />
        {lifecycle.value.value !== null && (
          <JobLifecycle job={found} lifecycle={lifecycle.value.value} events={events} />
        )}
        <JobFacts job={found} />
        <JobContent job={found} />
        <JobHistory events={events} />
      </div>
    </>
  );
}
