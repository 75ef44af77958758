import type { StreamItem } from '../../client/client.ts';
import type { JobEventJson, JobJson } from '../../contract/job.ts';
import { EXIT, ExitError } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { LiveLines } from '../terminal/live-lines.ts';
import type { Screen } from '../terminal/screen.ts';
import { progressLine } from './job-page.ts';

const QUIET: ReadonlySet<string> = new Set(['job_heartbeat', 'job_lease_renewed', 'job_progress']);

/** One event on one line. */
export function eventLine(screen: Screen, event: JobEventJson): string {
  const time = screen.paint('dim', event.timestamp.slice(11, 23));
  const name = event.type.replace('job_', '').replaceAll('_', ' ');
  const from = event.from === null || event.from === event.to ? '' : `${event.from} → `;
  const says = event.message === null ? '' : `  ${event.message}`;
  const isStage = event.type === 'job_stage_entered' && event.stage !== null;
  const state = isStage ? event.stage : `${from}${event.to}`;
  return `${time}  ${name.padEnd(16)} ${state}${says}`;
}

/** What a model said in this event; null for every other event. */
function tokensOf({ type, metadata }: JobEventJson): string | null {
  if (type !== 'job_tokens') return null;
  if (metadata['gap'] === true)
    return `[… ${String(metadata['characters'])} characters not kept …]`;
  return typeof metadata['text'] === 'string' ? metadata['text'] : '';
}

/** Cuts a model's words into lines, each told when it is whole. */
class TokenLines {
  #rest = '';

  add(tokens: string): string[] {
    const lines = (this.#rest + tokens).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines;
  }

  end(): string[] {
    return this.#rest === '' ? [] : [this.#rest];
  }
}

/** Follows one job to its end, with a bar that moves where the screen can. */
export async function watchJob(session: Session, id: string): Promise<JobJson> {
  const { client, screen } = session;
  const live = new LiveLines(screen);
  const said = new TokenLines();
  let job = await client.job(id);
  const draw = (): void => {
    if (screen.isLive) live.draw([progressLine(screen, job)]);
  };
  const print = (lines: readonly string[]): void => {
    if (screen.isLive) live.print(lines);
    else for (const line of lines) screen.data(line);
  };
  draw();
  for await (const item of client.events(id)) {
    if (screen.isJson) screen.json(item.kind === 'event' ? item.event : item);
    job = standing(job, item);
    if (item.kind === 'event' && !screen.isJson) {
      const tokens = tokensOf(item.event);
      if (tokens !== null) print(said.add(tokens));
      else if (!QUIET.has(item.event.type)) print([eventLine(screen, item.event)]);
    }
    draw();
  }
  if (!screen.isJson) print(said.end());
  job = await client.job(id);
  draw();
  // A job that had ended before the stream began has left no line yet.
  if (!screen.isLive && !screen.isJson) screen.data(progressLine(screen, job));
  return job;
}

/** The job as it is after what came along, as far as a line on the screen shows it. */
function standing(job: JobJson, item: StreamItem): JobJson {
  if (item.kind === 'snapshot') return item.job;
  if (item.kind !== 'event') return job;
  const { to, progress, stage, message, attempt } = item.event;
  return { ...job, state: to, progress, stage, message, attempts: attempt };
}

/** A command that waited for a job fails when the job did. */
export function requireSuccess(job: JobJson): void {
  if (job.phase === 'succeeded') return;
  const why = job.error === null ? '' : `: ${job.error.message}`;
  throw new ExitError(EXIT.failed, `job ${job.id} ended in state ${job.state}${why}`);
}
