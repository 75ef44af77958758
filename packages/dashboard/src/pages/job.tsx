import type { JobJson } from '../../../pawl/src/contract/job.ts';
import type { LifecycleJson } from '../../../pawl/src/contract/lifecycle.ts';
import type { TypeJson } from '../../../pawl/src/contract/type.ts';
import { get } from '../api.ts';
import { useLiveJob } from '../live-job.ts';
import { isSettled, useLoaded } from '../load.ts';
import { Crumbs } from '../parts/crumbs.tsx';
import { IdText } from '../parts/id-text.tsx';
import { Empty, ProblemBox } from '../parts/notice.tsx';
import { StateChip } from '../parts/state-chip.tsx';
import { TypeLink } from '../parts/type-link.tsx';
import { hrefOf, isJobId } from '../route.ts';
import { useTitle } from '../title.ts';
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
import { JobSharing, readAccess } from './job/sharing.tsx';
import { JobTimeline } from './job/timeline.tsx';
import { JobTree } from './job/tree.tsx';
import { JobWhy } from './job/why.tsx';

function NoJob({ error }: { readonly error: Error }) {
  return (
    <>
      <h1>Job</h1>
      <ProblemBox error={error} />
      <a href={hrefOf(['jobs'])}>Back to the job list</a>
    </>
  );
}

function Head({ job, onDone }: { readonly job: JobJson; readonly onDone: () => void }) {
  return (
    <>
      <Crumbs to={['jobs']} title="Jobs" />
      <div class="head">
        <div>
          <h1>
            <TypeLink type={job.type} /> <StateChip job={job} />
          </h1>
          <IdText id={job.id} what="Job id" />
        </div>
        <JobActions job={job} onDone={onDone} />
      </div>
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
  const access = useLoaded(async () => (found === null ? null : readAccess(found)), [found?.id]);
  useTitle(found === null ? 'Job' : `${found.type} …${id.slice(-8)} · ${found.state}`);
  if (found === null) {
    if (job.error.value !== null) return <NoJob error={job.error.value} />;
    return (
      <>
        <h1>Job</h1>
        <Empty title="Loading…" />
      </>
    );
  }
  // All at once: what came late would push down what is being read.
  const isBad = found.phase === 'failed' || found.phase === 'dead';
  const isReady = hasPast && isSettled(lifecycle) && isSettled(type) && isSettled(access);
  return (
    <>
      <Head job={found} onDone={job.reload} />
      {!isReady && <Empty title="Loading…" />}
      {isReady && (
        <>
          <JobErrors job={found} events={events} />
          {/* Who comes to a failed job wants to read what it said last, before all else. */}
          {isBad && <JobHistory id={id} events={events} forgotten={forgotten} />}
          <JobProgress job={found} stages={type.value.value?.stages ?? []} text={text} />
          <JobWhy job={found} />
          <JobTree job={found} />
          <div class="grid halves">
            <JobTimeline job={found} events={events} />
            <JobFacts job={found} />
            <JobInput job={found} />
            <JobResult job={found} />
            <JobArtifacts job={found} />
            <JobSharing job={found} access={access} />
            <JobChildren job={found} />
            {!isBad && <JobHistory id={id} events={events} forgotten={forgotten} />}
            {lifecycle.value.value !== null && (
              <JobLifecycle job={found} lifecycle={lifecycle.value.value} events={events} />
            )}
          </div>
        </>
      )}
    </>
  );
}

/** The job that the address names. */
export function JobPage({ id }: { readonly id: string }) {
  if (isJobId(id)) return <LiveJobPage id={id} />;
  return <NoJob error={new Error(`"${id}" is not a job id`)} />;
}
