import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { Ago } from '../../parts/ago.tsx';
import { JobLink } from '../../parts/job-link.tsx';
import { ProgressBar } from '../../parts/progress-bar.tsx';
import { StateChip } from '../../parts/state-chip.tsx';

interface Given {
  readonly jobs: readonly JobJson[];
  readonly chosen: ReadonlySet<string>;
  readonly at: number;
  readonly choose: (id: string) => void;
  readonly chooseAll: () => void;
}

interface RowGiven {
  readonly job: JobJson;
  readonly isAt: boolean;
  readonly isChosen: boolean;
  readonly choose: (id: string) => void;
}

function Row({ job, isAt, isChosen, choose }: RowGiven) {
  return (
    <tr class={isAt ? 'chosen' : ''} aria-current={isAt ? 'true' : undefined}>
      <td class="pick">
        <input
          type="checkbox"
          aria-label={`choose ${job.id}`}
          checked={isChosen}
          onChange={() => choose(job.id)}
        />
      </td>
      <td>
        <JobLink id={job.id} />
      </td>
      <td>{job.type}</td>
      <td>
        <StateChip job={job} />
      </td>
      <td class="wide-only">
        <ProgressBar progress={job.progress} phase={job.phase} />
      </td>
      <td class="number wide-only">
        {job.attempts}/{job.maxAttempts}
      </td>
      <td>
        <Ago time={job.createdAt} />
      </td>
      <td class="grow clip quiet">{job.error?.message ?? job.message ?? job.stage}</td>
    </tr>
  );
}

/** The jobs of a page. */
export function Rows({ jobs, chosen, at, choose, chooseAll }: Given) {
  return (
    <div class="card scroll">
      <table class="dense">
        <thead>
          <tr>
            <th class="pick">
              <input
                type="checkbox"
                aria-label="choose all on this page"
                checked={jobs.every(({ id }) => chosen.has(id))}
                onChange={chooseAll}
              />
            </th>
            <th>Job</th>
            <th>Type</th>
            <th>State</th>
            <th class="wide-only">Progress</th>
            <th class="number wide-only">Tries</th>
            <th>Created</th>
            <th>Says</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job, index) => (
            <Row
              key={job.id}
              job={job}
              isAt={index === at}
              isChosen={chosen.has(job.id)}
              choose={choose}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}
