import type { LifecycleJson } from '../../../src/http/schema/lifecycle.ts';
import type { TypeJson } from '../../../src/http/schema/type.ts';
import { get } from '../api.ts';
import { useLiveJob } from '../live-job.ts';
import { isSettled, useLoaded } from '../load.ts';
import { Empty, ProblemBox } from '../parts/notice.tsx';
import { StateChip } from '../parts/state-chip.tsx';
import { hrefOf, isJobId } from '../route.ts';
import { JobActions } from './job/actions.tsx';
import { JobArtifacts } from './job/artifacts.tsx';
import { JobChildren } from './job/children.tsx';
import { JobErrors } from './job/errors.tsx';
import { JobFacts } from './job/facts.tsx';
import { JobHistory } from './job/history.tsx';
import { JobInput } from './job/input.tsx';
import { JobLifecycle } from './job/lifecycle.tsx';
import { JobProgress } from './job/progress.tsx';
import { JobResult } from './job/result.tsx';
import { JobTimeline } from './job/timeline.tsx';
import { JobTree } from './job/tree.tsx';
import { JobWhy } from './job/why.tsx';

function NoJob({ error }: { readonly error: Error }) {
  return (
    <>
      <h1>Job</h1>
      <ProblemBox error={error} />
      <a href={hrefOf(['jobs'])}>To the list of jobs</a>
    </>
  );
}

/** Everything about one job, live. */
function LiveJobPage({ id }: { readonly id: string }) {
  const { job, events, text, forgotten, hasPast } = useLiveJob(id);
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
    if (job.error.value !== null) return <NoJob error={job.error.value} />;
    return (
      <>
        <h1>Job</h1>
        <Empty title="Looking…" />
      </>
    );
  }
  // All at once: what came late would push down what is being read.
  const isReady = hasPast && isSettled(lifecycle) && isSettled(type);
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
      {!isReady && <Empty title="Looking…" />}
      {isReady && (
        <>
          <JobErrors job={found} events={events} />
          <JobProgress job={found} stages={type.value.value?.stages ?? []} text={text} />
          <JobWhy job={found} />
          <JobTree job={found} />
          <div class="grid halves">
            <JobTimeline job={found} events={events} />
            {lifecycle.value.value !== null && (
              <JobLifecycle job={found} lifecycle={lifecycle.value.value} events={events} />
            )}
            <JobFacts job={found} />
            <JobInput job={found} />
            <JobResult job={found} />
            <JobArtifacts job={found} />
            <JobChildren job={found} />
            <JobHistory id={id} events={events} forgotten={forgotten} />
          </div>
        </>
      )}
    </>
  );
}

/** The job that the address names. */
export function JobPage({ id }: { readonly id: string }) {
  if (isJobId(id)) return <LiveJobPage id={id} />;
  return <NoJob error={new Error(`"${id}" is no id of a job`)} />;
}
