import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import type { TreeJson } from '../../../../pawl/src/contract/flow.ts';
import { get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { Ago } from '../../parts/ago.tsx';
import { JobLink } from '../../parts/job-link.tsx';
import { ProgressBar } from '../../parts/progress-bar.tsx';
import { StateChip } from '../../parts/state-chip.tsx';
import { Mailbox } from './mailbox.tsx';

type WaitJson = TreeJson['waits'][number];

/** Larger sets are one bar. */
const SHOWN_MAX = 50;
const TERMINAL: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'dead']);

const KINDS: Readonly<Record<WaitJson['kind'], string>> = {
  children: 'jobs',
  jobs: 'jobs before it',
  time: 'a time',
  message: 'a message',
  first: 'the first of several',
};

function Counts({ wait }: { readonly wait: WaitJson }) {
  const { counts, type, jobs } = wait;
  if (counts === null) return null;
  const { total, succeeded, failed, open } = counts;
  if (total === 1 && jobs.length === 1) return null;
  return (
    <div class="tree-counts">
      <ProgressBar
        progress={total === 0 ? 100 : (100 * (total - open)) / total}
        phase={failed > 0 ? 'failed' : open > 0 ? 'executing' : 'succeeded'}
        label={`Jobs of ${wait.name} that have ended`}
      />
      <span>
        {succeeded.toLocaleString('en')} of {total.toLocaleString('en')} {type ?? 'jobs'} succeeded
        {failed > 0 && <b class="failed-count">, {failed.toLocaleString('en')} failed</b>}
        {open > 0 && <>, {open.toLocaleString('en')} open</>}
      </span>
    </div>
  );
}

function kindOf({ kind, counts }: WaitJson): string {
  return kind === 'children' && counts?.total === 1 ? 'a job' : KINDS[kind];
}

interface WaitGiven {
  readonly wait: WaitJson;
  /** Those inside of it, where it is a `first`. */
  readonly members: readonly WaitJson[];
}

function WaitItem({ wait, members }: WaitGiven) {
  const total = wait.counts?.total ?? wait.jobs.length;
  return (
    <li class={wait.isOpen ? 'open' : ''}>
      <div class="tree-wait">
        <span aria-hidden="true">{wait.isOpen ? '◷' : '✓'}</span>
        <b>{wait.name}</b>
        <span class="quiet">
          {wait.isOpen ? 'waits for ' : ''}
          {kindOf(wait)}
          {wait.message !== null && wait.message !== wait.name && ` "${wait.message}"`}
        </span>
        {wait.until !== null && <Ago time={wait.until} />}
      </div>
      <Counts wait={wait} />
      {members.length > 0 && <Waits waits={members} />}
      {total <= SHOWN_MAX && wait.jobs.length > 0 && (
        <ul class="tree">
          {wait.jobs.map((job) => (
            <TreeItem key={job.id} job={job} />
          ))}
        </ul>
      )}
    </li>
  );
}

function TreeItem({ job }: { readonly job: TreeJson }) {
  return (
    <li>
      <div class="tree-wait">
        <JobLink id={job.id} />
        {job.key !== null && <span class="breaks">{job.key}</span>}
        <span class="quiet">{job.type}</span>
        <StateChip job={job} />
        {job.phase === 'executing' && (
          <ProgressBar
            progress={job.progress}
            phase={job.phase}
            label={`Progress of ${job.type}`}
          />
        )}
      </div>
      {job.waits.length > 0 && <Waits waits={job.waits} />}
    </li>
  );
}

/** Those that belong to a `first` are shown inside of it; open ones come before the others. */
function Waits({ waits }: { readonly waits: readonly WaitJson[] }) {
  const inside = new Set(waits.flatMap(({ members }) => members));
  const outer = waits.filter(({ name }) => !inside.has(name));
  const sorted = outer.toSorted((one, other) => Number(other.isOpen) - Number(one.isOpen));
  return (
    <ul class="tree">
      {sorted.map((wait) => (
        <WaitItem
          key={wait.name}
          wait={wait}
          members={waits.filter(({ name }) => wait.members.includes(name))}
        />
      ))}
    </ul>
  );
}

/** What a job waits for, and what that waits for in turn, with progress; and its mailbox. */
export function JobTree({ job }: { readonly job: JobJson }) {
  const isOver = TERMINAL.has(job.phase);
  const tree = useLoaded(
    () => get<TreeJson>(`./v1/jobs/${job.id}/tree`),
    [job.id, job.version, job.phase],
    isOver ? {} : { everyMs: 2_000 },
  );
  const waits = tree.value.value?.waits ?? [];
  if (waits.length === 0) return null;
  const wanted = new Map(
    waits.flatMap(({ isOpen, message, schema }) =>
      isOpen && message !== null ? [[message, schema] as const] : [],
    ),
  );
  return (
    <section class="card wide" aria-label="Waits">
      <h2>Waits</h2>
      <Waits waits={waits} />
      <Mailbox job={job} wanted={wanted} isOver={isOver} />
    </section>
  );
}
