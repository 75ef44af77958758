import type { JobEventJson, JobJson } from '../../contract/job.ts';
import { stretchText } from './bar.ts';
import type { Screen } from './screen.ts';
import { durationText } from './words.ts';

/** A stretch of a job's life between two events that moved it. */
export interface Stretch {
  readonly label: string;
  readonly phase: string;
  readonly from: number;
  readonly to: number;
  readonly end: string;
}

const PHASES: Readonly<Record<string, string>> = {
  job_created: 'ready',
  job_queued: 'ready',
  job_requeued: 'ready',
  job_claimed: 'executing',
  job_started: 'executing',
  job_retry_scheduled: 'waiting',
  job_snoozed: 'waiting',
};

const ENDS: ReadonlySet<string> = new Set([
  'job_succeeded',
  'job_failed',
  'job_cancelled',
  'job_dead_lettered',
]);

const LABEL_CELLS = 22;
const CELLS_MAX = 60;

/** A job's waits and attempts, one after the other; the last one runs until now. */
export function stretchesOf(job: JobJson, events: readonly JobEventJson[], now: number): Stretch[] {
  const turns = events.filter(({ type }) => type in PHASES || ENDS.has(type));
  const stretches: Stretch[] = [];
  for (const [index, event] of turns.entries()) {
    const phase = PHASES[event.type];
    if (phase === undefined) continue;
    const next = turns[index + 1];
    const to = next === undefined ? endOf(job, now) : Date.parse(next.timestamp);
    stretches.push({
      label: labelOf(event, phase),
      phase,
      from: Date.parse(event.timestamp),
      to,
      end: next === undefined ? '' : endText(next),
    });
  }
  return stretches;
}

function labelOf(event: JobEventJson, phase: string): string {
  if (phase === 'executing') return `${event.to} · attempt ${event.attempt}`;
  return phase === 'waiting' ? `${event.to} · waiting` : event.to;
}

function endText(next: JobEventJson): string {
  const word = next.type.replace('job_', '').replaceAll('_', ' ');
  const isPlain = next.type === 'job_claimed' || next.type === 'job_requeued';
  if (isPlain) return '';
  return next.message === null ? word : `${word}: ${next.message}`;
}

function endOf(job: JobJson, now: number): number {
  return job.completedAt === null ? now : Date.parse(job.completedAt);
}

/** The timeline to scale, a line for each wait and attempt. */
export function timelineLines(screen: Screen, stretches: readonly Stretch[]): string[] {
  const first = stretches[0];
  if (first === undefined) return [];
  const start = first.from;
  const length = Math.max(1, Math.max(...stretches.map(({ to }) => to)) - start);
  const cells = Math.max(10, Math.min(CELLS_MAX, screen.columns - LABEL_CELLS - 30));
  return stretches.map(({ label, phase, from, to, end }) => {
    const stretch = stretchText((from - start) / length, (to - start) / length, cells);
    const took = durationText(to - from).padStart(8);
    const name = label.slice(0, LABEL_CELLS).padEnd(LABEL_CELLS);
    return `  ${name} ${screen.paintPhase(phase, stretch)} ${took}  ${end}`.trimEnd();
  });
}
