import { traceText } from '../../core/error-text.ts';
import type { JobEventJson, JobJson } from '../../contract/job.ts';
import { barText } from '../terminal/bar.ts';
import type { Screen } from '../terminal/screen.ts';
import { stretchesOf, timelineLines } from '../terminal/timeline.ts';
import { clipped, harmless, sinceText } from '../terminal/words.ts';

const BAR_CELLS = 30;
const LABEL_CELLS = 12;

/** A job's progress on one line. */
export function progressLine(screen: Screen, job: JobJson): string {
  const bar = screen.paintPhase(job.phase, barText(job.progress / 100, BAR_CELLS));
  const share = `${Math.round(job.progress)} %`.padStart(5);
  const says = job.message ?? job.stage ?? '';
  const room = Math.max(0, screen.columns - BAR_CELLS - job.state.length - 12);
  const state = screen.paintPhase(job.phase, job.state);
  return `${bar} ${share}  ${state}  ${clipped(says, room)}`.trimEnd();
}

/** Everything about a job on one page: how it stands, what it is, what happened when. */
export function jobPage(
  screen: Screen,
  { job, events, now }: { job: JobJson; events: readonly JobEventJson[]; now: number },
): string[] {
  const title = `${screen.paint('bold', job.type)}  ${screen.paint('dim', job.id)}`;
  const stretches = stretchesOf(job, events, now);
  return [
    title,
    progressLine(screen, job),
    '',
    ...factsOf(job, now).map(
      ([label, value]) => `${screen.paint('dim', label.padEnd(LABEL_CELLS))}${value}`,
    ),
    ...(stretches.length === 0 ? [] : ['', ...timelineLines(screen, stretches)]),
    ...errorLines(screen, job.error),
  ];
}

/** Where an error came from: its stack and its causes, line by line. */
export function errorLines(screen: Screen, error: JobJson['error']): string[] {
  const trace = error === null ? '' : traceText(error);
  if (trace === '') return [];
  return ['', ...trace.split('\n').map((line) => screen.paint('dim', harmless(line)))];
}

/** The job that it came from, and how. */
function parentText({ parentJobId, parentKind }: JobJson): string | null {
  return parentJobId === null ? null : `${parentJobId} (${parentKind ?? 'caller'})`;
}

/** The job that waits for it, and under which name. */
function awaitedText({ awaitedBy }: JobJson): string | null {
  return awaitedBy ? `${awaitedBy.jobId} (${awaitedBy.wait}, ${awaitedBy.key})` : null;
}

/** The code that first took it; a server of an older release does not say. */
function revisionText({ revision, isPinned }: Partial<JobJson>): string | null {
  return revision ? `${revision}${isPinned === true ? ' (pinned)' : ''}` : null;
}

function factsOf(job: JobJson, now: number): (readonly [string, string])[] {
  const { error, lease } = job;
  const facts: (readonly [string, string | null])[] = [
    ['lifecycle', `${job.lifecycle} · ${job.state} (${job.phase})`],
    ['queue', `${job.queue} · priority ${job.priority}`],
    ['attempts', `${job.attempts} of ${job.maxAttempts}`],
    ['revision', revisionText(job)],
    ['created', `${job.createdAt} (${sinceText(job.createdAt, now)})`],
    ['started', job.startedAt],
    ['ended', job.completedAt],
    ['due', job.phase === 'waiting' ? `${job.runAt} (${sinceText(job.runAt, now)})` : null],
    ['owner', lease === null ? null : `${lease.owner} until ${lease.expiresAt}`],
    ['stage', job.stage],
    ['error', error === null ? null : harmless(`${error.code}: ${error.message}`)],
    ['hint', error?.hint ?? null],
    ['document', job.documentId],
    ['asked by', job.requestedBy],
    ['parent', parentText(job)],
    ['awaited by', awaitedText(job)],
    ['correlation', job.correlationId === job.id ? null : job.correlationId],
    ['result', job.resultRef],
  ];
  return facts.filter((fact): fact is readonly [string, string] => fact[1] !== null);
}
