import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Page } from '../page.ts';
import type { JobJson } from '../../../src/http/schema/job.ts';
import { seconds } from '../activity.ts';
import { get, send } from '../api.ts';
import { useLoaded } from '../load.ts';
import { Ago } from '../parts/ago.tsx';
import { JobLink } from '../parts/job-link.tsx';
import { act, Empty, ProblemBox } from '../parts/notice.tsx';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { StateChip } from '../parts/state-chip.tsx';
import { go, hrefOf, place } from '../route.ts';

const FILTERS = ['type', 'state', 'queue', 'documentId', 'correlationId'] as const;
const PHASES = [
  'held',
  'ready',
  'leased',
  'executing',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
  'dead',
];
const PAGE = 50;

/** The filter as the address has it: a view is saved by keeping its address. */
function filterOf(): Record<string, string> {
  const { query } = place.value;
  return Object.fromEntries([...FILTERS, 'phase'].map((name) => [name, query.get(name) ?? '']));
}

function narrow(name: string, value: string): void {
  go(hrefOf(['jobs'], { ...filterOf(), [name]: value }));
}

function Filters() {
  const filter = filterOf();
  return (
    <div class="row" role="search">
      {FILTERS.map((name) => (
        <input
          key={name}
          aria-label={name}
          placeholder={name}
          value={filter[name]}
          onChange={(event) => narrow(name, event.currentTarget.value.trim())}
        />
      ))}
      <select
        aria-label="phase"
        value={filter['phase']}
        onChange={(event) => narrow('phase', event.currentTarget.value)}
      >
        <option value="">any phase</option>
        {PHASES.map((phase) => (
          <option key={phase}>{phase}</option>
        ))}
      </select>
    </div>
  );
}

/** j and k move, Enter opens, x chooses: the list can be worked without a mouse. */
function useKeys(jobs: readonly JobJson[], choose: (id: string) => void) {
  const at = useSignal(-1);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.target instanceof HTMLInputElement && event.target.type !== 'checkbox') return;
      const job = jobs[at.value];
      if (event.key === 'j') at.value = Math.min(jobs.length - 1, at.value + 1);
      else if (event.key === 'k') at.value = Math.max(0, at.value - 1);
      else if (event.key === 'Enter' && job !== undefined) go(hrefOf(['jobs', job.id]));
      else if (event.key === 'x' && job !== undefined) choose(job.id);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [jobs]);
  return at;
}

interface Listed {
  readonly jobs: readonly JobJson[];
  readonly chosen: ReadonlySet<string>;
  readonly at: number;
  readonly choose: (id: string) => void;
}

function Rows({ jobs, chosen, at, choose }: Listed) {
  return (
    <div class="card scroll">
      <table>
        <thead>
          <tr>
            <th aria-label="chosen" />
            <th>Job</th>
            <th>Type</th>
            <th>State</th>
            <th>Progress</th>
            <th class="number">Tries</th>
            <th>Created</th>
            <th>Says</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job, index) => (
            <tr key={job.id} class={index === at ? 'chosen' : ''}>
              <td>
                <input
                  type="checkbox"
                  aria-label={`choose ${job.id}`}
                  checked={chosen.has(job.id)}
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
              <td>
                <ProgressBar progress={job.progress} phase={job.phase} />
              </td>
              <td class="number">
                {job.attempts}/{job.maxAttempts}
              </td>
              <td>
                <Ago time={job.createdAt} />
              </td>
              <td class="grow quiet">{job.error?.message ?? job.message ?? job.stage}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The list of jobs: filtered by its address, fresh whenever something happens. */
export function JobsPage() {
  const filter = filterOf();
  const cursor = place.value.query.get('cursor') ?? '';
  const address = JSON.stringify([filter, cursor]);
  const pulse = seconds.value.at(-1);
  const isMoving = pulse !== undefined && pulse.created + pulse.succeeded + pulse.failed > 0;
  const page = useLoaded(
    () => get<Page<JobJson>>('./v1/jobs', { ...filter, cursor, limit: PAGE }),
    [address, isMoving ? pulse.at : 0],
    { everyMs: 10_000 },
  );
  const jobs = page.value.value?.items ?? [];
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const choose = (id: string): void => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  const at = useKeys(jobs, choose);
  const cancel = async (): Promise<void> => {
    const ids = [...chosen.value];
    await act(() => send('POST', './v1/jobs/cancel', { ids }), `Asked ${ids.length} to stop`);
    chosen.value = new Set();
    page.reload();
  };
  const next = page.value.value?.nextCursor ?? null;
  return (
    <>
      <div class="head">
        <h1>Jobs</h1>
        <div class="row">
          {chosen.value.size > 0 && (
            <button class="danger" onClick={() => void cancel()}>
              Cancel {chosen.value.size}
            </button>
          )}
          <span class="quiet">j k move · x choose · Enter open</span>
        </div>
      </div>
      <Filters />
      {page.error.value !== null && <ProblemBox error={page.error.value} />}
      {jobs.length > 0 ? (
        <Rows jobs={jobs} chosen={chosen.value} at={at.value} choose={choose} />
      ) : (
        page.value.value !== null && (
          <Empty title="No such jobs">Widen the filter, or enqueue one.</Empty>
        )
      )}
      <div class="row">
        {cursor !== '' && <a href={hrefOf(['jobs'], filter)}>← newest</a>}
        {next !== null && <a href={hrefOf(['jobs'], { ...filter, cursor: next })}>older →</a>}
      </div>
    </>
  );
}
