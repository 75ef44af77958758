// What the list of jobs can show of each, and which of it this browser chose.
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { durationText } from '../../../../pawl/src/cli/terminal/words.ts';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { Ago } from '../../parts/ago.tsx';
import { seesAll } from '../../me.ts';
import { ProgressBar } from '../../parts/progress-bar.tsx';
import { StateChip } from '../../parts/state-chip.tsx';

type Sortable = string | number;

export interface Column {
  readonly id: string;
  readonly title: string;
  readonly class?: string;
  readonly show: (job: JobJson) => ComponentChildren;
  readonly by: (job: JobJson) => Sortable;
}

function timeOf(time: string | null): number {
  return time === null ? 0 : Date.parse(time);
}

/** How long it ran; nothing before it has ended. */
function tookMs({ startedAt, completedAt }: JobJson): number {
  return startedAt === null || completedAt === null ? 0 : timeOf(completedAt) - timeOf(startedAt);
}

function messageOf(job: JobJson): string {
  return job.error?.message ?? job.message ?? job.stage ?? '';
}

function plain(id: string, title: string, by: (job: JobJson) => string): Column {
  return { id, title, class: 'long', show: by, by };
}

export const COLUMNS: readonly Column[] = [
  plain('type', 'Type', ({ type }) => type),
  { id: 'state', title: 'State', show: (job) => <StateChip job={job} />, by: ({ state }) => state },
  {
    id: 'progress',
    title: 'Progress',
    class: 'wide-only',
    show: ({ progress, phase }) => <ProgressBar progress={progress} phase={phase} />,
    by: ({ progress }) => progress,
  },
  {
    id: 'attempts',
    title: 'Attempts',
    class: 'number wide-only',
    show: ({ attempts, maxAttempts }) => `${attempts}/${maxAttempts}`,
    by: ({ attempts }) => attempts,
  },
  {
    id: 'created',
    title: 'Created',
    class: 'clock',
    show: ({ createdAt }) => <Ago time={createdAt} />,
    by: ({ createdAt }) => timeOf(createdAt),
  },
  { id: 'message', title: 'Message', class: 'grow clip quiet', show: messageOf, by: messageOf },
  plain('queue', 'Queue', ({ queue }) => queue),
  {
    id: 'priority',
    title: 'Priority',
    class: 'number',
    show: ({ priority }) => priority,
    by: ({ priority }) => priority,
  },
  plain('document', 'Document', ({ documentId }) => documentId ?? ''),
  plain('correlation', 'Correlation', ({ correlationId }) => correlationId),
  plain('requester', 'Requested by', ({ requestedBy }) => requestedBy ?? ''),
  plain('worker', 'Worker', ({ lease }) => lease?.owner ?? ''),
  {
    id: 'started',
    title: 'Started',
    class: 'clock',
    show: ({ startedAt }) => <Ago time={startedAt} />,
    by: ({ startedAt }) => timeOf(startedAt),
  },
  {
    id: 'ended',
    title: 'Ended',
    class: 'clock',
    show: ({ completedAt }) => <Ago time={completedAt} />,
    by: ({ completedAt }) => timeOf(completedAt),
  },
  {
    id: 'took',
    title: 'Took',
    class: 'number',
    show: (job) => (tookMs(job) === 0 ? '' : durationText(tookMs(job))),
    by: tookMs,
  },
];

const DEFAULT = ['type', 'state', 'progress', 'attempts', 'created', 'message'];
const NAME = 'pawl-columns';

/** Null where this browser has chosen none. */
function kept(): readonly string[] | null {
  const words = (localStorage.getItem(NAME) ?? '').split(' ').filter((word) => word !== '');
  return words.length === 0 ? null : words;
}

const chosen = signal(kept());

/** Whose a job is tells a user the shared ones from their own. */
function chosenNow(): readonly string[] {
  return chosen.value ?? (seesAll() ? DEFAULT : [...DEFAULT, 'requester']);
}

/** Those that are shown, in the order of the table. */
export function shownColumns(): readonly Column[] {
  return COLUMNS.filter(({ id }) => chosenNow().includes(id));
}

export function switchColumn(id: string): void {
  const before = chosenNow();
  const now = before.includes(id) ? before.filter((one) => one !== id) : [...before, id];
  chosen.value = now;
  localStorage.setItem(NAME, now.join(' '));
}

/** `created` upwards, `-created` downwards; without one as the server has it, newest first. */
export function sorted(jobs: readonly JobJson[], sort: string): readonly JobJson[] {
  const column = COLUMNS.find(({ id }) => id === sort.replace(/^-/, ''));
  if (column === undefined) return jobs;
  const turn = sort.startsWith('-') ? -1 : 1;
  return jobs.toSorted((one, other) => turn * compare(column.by(one), column.by(other)));
}

function compare(one: Sortable, other: Sortable): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one).localeCompare(String(other));
}
