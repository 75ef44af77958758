import type { JobJson } from '../../../pawl/src/contract/job.ts';
import { Ago } from './ago.tsx';
import { JobLink } from './job-link.tsx';
import { ProgressBar } from './progress-bar.tsx';
import { StateChip } from './state-chip.tsx';
import { TypeLink } from './type-link.tsx';

interface Given {
  readonly jobs: readonly JobJson[];
  readonly label: string;
  /** Since when, in the column that says how old something is. */
  readonly since?: (job: JobJson) => string | null;
}

/** A few jobs on the page of something else. */
export function JobsTable({ jobs, label, since = ({ createdAt }) => createdAt }: Given) {
  return (
    <div class="scroll" role="group" aria-label={label} tabIndex={0}>
      <table class="rows">
        <thead>
          <tr>
            <th>Job</th>
            <th>Type</th>
            <th>State</th>
            <th class="wide-only">Progress</th>
            <th>Since</th>
            <th class="wide-only">Message</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.id}>
              <td>
                <JobLink id={job.id} />
              </td>
              <td class="long">
                <TypeLink type={job.type} />
              </td>
              <td>
                <StateChip job={job} />
              </td>
              <td class="wide-only">
                <ProgressBar progress={job.progress} phase={job.phase} />
              </td>
              <td class="clock">
                <Ago time={since(job)} />
              </td>
              <td class="grow clip quiet wide-only">
                {job.error?.message ?? job.message ?? job.stage}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
