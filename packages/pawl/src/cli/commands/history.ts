import type { Command } from 'commander';
import type { HistoryJson } from '../../contract/history.ts';
import { parseDuration } from '../../core/duration.ts';
import { UsageError } from '../exit-code.ts';
import { type Given, isForPrograms, onServer, type Session } from '../session.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { durationText } from '../terminal/words.ts';
import { instantIn } from './moment.ts';

interface HistoryOptions {
  readonly since: string;
  readonly until?: string;
  readonly step?: string;
  readonly type?: string;
  readonly queue?: string;
}

type Name = keyof HistoryJson['series'];

/** One step of time: its index in the columns of the answer. */
interface Step {
  readonly history: HistoryJson;
  readonly index: number;
}

const UNKNOWN = '?';
const ROWS = 24;

function textOf({ history, index }: Step, name: Name, show: (figure: number) => string): string {
  const figure = history.series[name][index] ?? null;
  if (figure !== null) return show(figure);
  // Nothing was measured where nothing began or ended; it is unknown where nobody counted.
  return (history.series.enqueued[index] ?? null) === null ? UNKNOWN : '-';
}

function column(title: string, name: Name, show: (figure: number) => string): Column<Step> {
  return { title, text: (step) => textOf(step, name, show), isRight: true };
}

const COLUMNS: readonly Column<Step>[] = [
  { title: 'FROM', text: ({ history, index }) => localTime(history.times[index]!) },
  column('ENQUEUED', 'enqueued', String),
  column('STARTED', 'started', String),
  column('SUCCEEDED', 'succeeded', String),
  column('FAILED', 'failed', String),
  column('DEAD', 'dead', String),
  column('RETRIED', 'retried', String),
  column('WAIT P95', 'waitP95Ms', durationText),
  column('TOOK P95', 'durationP95Ms', durationText),
  column('BACKLOG', 'backlog', String),
  column('OLDEST', 'oldestMs', durationText),
];

function localTime(text: string): string {
  const at = new Date(text);
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

function stepSeconds(text: string): number {
  const ms = parseDuration(text);
  if (ms === null || ms < 60_000) throw new UsageError('--step takes a time from 1m, such as 1h');
  return Math.round(ms / 1_000);
}

async function show(session: Session, { options }: Given<HistoryOptions>): Promise<void> {
  const { since, until, step, type, queue } = options;
  const from = instantIn('--since', since);
  const to = until === undefined ? undefined : instantIn('--until', until);
  const spanMs = (to === undefined ? Date.now() : Date.parse(to)) - Date.parse(from);
  const seconds = Math.max(60, Math.ceil(spanMs / ROWS / 60_000) * 60);
  const history = await session.call<HistoryJson>({
    method: 'GET',
    path: '/v1/history',
    query: { from, to, step: step === undefined ? seconds : stepSeconds(step), type, queue },
  });
  if (isForPrograms(session, [history])) return;
  const { screen } = session;
  const rows = history.times.map((_, index) => ({ history, index }));
  for (const line of tableLines(screen, COLUMNS, rows)) screen.data(line);
  for (const { at, version } of history.marks) {
    screen.talk(`${localTime(at)}  first worker of version ${version}`);
  }
  if (rows.some((row) => (history.series.enqueued[row.index] ?? null) === null)) {
    screen.talk(`${UNKNOWN} means unknown: not counted then, or not counted yet.`);
  }
}

/** `pawl history`. */
export function addHistory(program: Command): void {
  program
    .command('history')
    .description('show jobs enqueued and ended, waiting times and durations over time')
    .option('--since <time>', 'start: 2h for two hours ago, or 2026-11-15T08:00', '1h')
    .option('--until <time>', 'end; default: now')
    .option('--step <time>', 'length of a row, such as 1m or 1h; default: a 24th of the range')
    .option('--type <type>', 'of this type of job')
    .option('--queue <queue>', 'in this queue')
    .action(onServer(show));
}
