import type { LifecycleJson } from '../../../src/http/schema/lifecycle.ts';
import type { TypeJson } from '../../../src/http/schema/type.ts';
import { get } from '../api.ts';
import { useLiveJob } from '../live-job.ts';
import { useLoaded } from '../load.ts';
import { Empty, ProblemBox } from '../parts/notice.tsx';
import { StateChip } from '../parts/state-chip.tsx';
import { hrefOf } from '../route.ts';
import { JobActions } from './job/actions.tsx';
import { JobArtifacts } from './job/artifacts.tsx';
import { JobChildren } from './job/children.tsx';
import { JobContent } from './job/content.tsx';
import { JobErrors } from './job/errors.tsx';
import { JobFacts } from './job/facts.tsx';
import { JobHistory } from './job/history.tsx';
import { JobLifecycle } from './job/lifecycle.tsx';
import { JobProgress } from './job/progress.tsx';
import { JobTimeline } from './job/timeline.tsx';
import { JobWhy } from './job/why.tsx';

/** Everything about one job, live. */
export function JobPage({ id }: { readonly id: string }) {
  const { job, events } = useLiveJob(id);
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
      <JobErrors job={found} events={events} />
      <JobProgress job={found} stages={type.value.value?.stages ?? []} events={events} />
      <JobWhy job={found} />
      <div class="grid halves">
        <JobTimeline job={found} events={events} />
        {lifecycle.value.value !== null && (
          <JobLifecycle job={found} lifecycle={lifecycle.value.value} events={events} />
        )}
        <JobFacts job={found} />
        <JobContent job={found} />
        <JobArtifacts job={found} />
        <JobChildren job={found} />
        <JobHistory events={events} />
      </div>
    </>
  );
}
