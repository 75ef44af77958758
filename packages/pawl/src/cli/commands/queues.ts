import type { Command } from 'commander';
import type { QueueJson } from '../../contract/queue.ts';
import { parseDuration } from '../../core/duration.ts';
import { UsageError } from '../exit-code.ts';
import { type Given, isForPrograms, onServer, type Session } from '../session.ts';
import type { Screen } from '../terminal/screen.ts';
import { instantIn } from './moment.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { sinceText } from '../terminal/words.ts';

function standingOf({ isPaused, pausedUntil, isShedding }: QueueJson): string {
  // A server of the release before says nothing of an end.
  if (isPaused) return (pausedUntil ?? null) === null ? 'paused' : `paused until ${pausedUntil}`;
  return isShedding ? 'refusing' : 'open';
}

function columnsFor(screen: Screen, now: number): Column<QueueJson>[] {
  const inFlight = ({ phases }: QueueJson): number =>
    (phases['leased'] ?? 0) + (phases['executing'] ?? 0);
  // A server of the release before says nothing of it.
  const counted = ({ phases, atLeast = [] }: Partial<QueueJson>, phase: string): string =>
    `${phases?.[phase] ?? 0}${atLeast.includes(phase) ? '+' : ''}`;
  return [
    { title: 'QUEUE', text: ({ name }) => name },
    {
      title: 'STATE',
      text: standingOf,
      paint: (queue, text) => screen.paint(standingOf(queue) === 'open' ? 'green' : 'yellow', text),
    },
    { title: 'READY', text: (queue) => counted(queue, 'ready'), isRight: true },
    { title: 'IN FLIGHT', text: inFlight, isRight: true },
    { title: 'WAITING', text: (queue) => counted(queue, 'waiting'), isRight: true },
    { title: 'AT ONCE', text: ({ concurrency }) => concurrency ?? 'any', isRight: true },
    { title: 'OLDEST', text: ({ oldestReadyAt }) => sinceText(oldestReadyAt, now) },
    { title: 'TYPES', text: ({ types }) => types.join(', ') },
  ];
}

async function list(session: Session): Promise<void> {
  const { screen } = session;
  const items = await session.client.all<QueueJson>('/v1/queues');
  if (isForPrograms(session, items)) return;
  if (items.length === 0) return screen.talk('No queue has open jobs or limits.');
  for (const line of tableLines(screen, columnsFor(screen, Date.now()), items)) screen.data(line);
}

async function change(session: Session, name: string | undefined, body: object): Promise<void> {
  const path = `/v1/queues/${encodeURIComponent(name ?? '')}`;
  const queue = await session.call<QueueJson>({ method: 'PATCH', path, body });
  if (session.screen.isJson) session.screen.json(queue);
  else session.screen.data(`${queue.name}: ${standingOf(queue)}`);
}

interface PauseOptions {
  readonly reason?: string;
  readonly until?: string;
}

async function pause(session: Session, { words, options }: Given<PauseOptions>): Promise<void> {
  const { until, ...rest } = options;
  await change(session, words[0], {
    isPaused: true,
    ...rest,
    ...(until === undefined ? {} : endOf(until)),
  });
}

/** How long from now is for the database to count: clocks differ. */
function endOf(text: string): { pausedForMs: number } | { pausedUntil: string } {
  const pausedForMs = parseDuration(text);
  return pausedForMs === null ? { pausedUntil: instantIn('--until', text) } : { pausedForMs };
}

function boundOf(text: string | undefined, option: string): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'any') return null;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 0) return count;
  throw new UsageError(`${option} takes a whole number, or "any" to remove the limit`);
}

interface SetOptions {
  readonly concurrency?: string;
  readonly high?: string;
  readonly low?: string;
}

async function set(session: Session, { words, options }: Given<SetOptions>): Promise<void> {
  const concurrency = boundOf(options.concurrency, '--concurrency');
  const highWatermark = boundOf(options.high, '--high');
  const lowWatermark = boundOf(options.low, '--low');
  await change(session, words[0], {
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(highWatermark === undefined ? {} : { highWatermark }),
    ...(lowWatermark === undefined ? {} : { lowWatermark }),
  });
}

/** `pawl queues …`. */
export function addQueues(program: Command): void {
  const queues = program.command('queues').description('queues: depth, pause, limits');
  queues.command('ls', { isDefault: true }).description('list queues').action(onServer(list));
  queues
    .command('pause <name>')
    .description('pause a queue: no job of it is claimed')
    .option('--reason <text>', 'reason, shown by "pawl jobs why"')
    .option('--until <time>', 'resume automatically: in 2h, or at 2026-11-15T08:00')
    .action(onServer(pause));
  queues
    .command('resume <name>')
    .description('resume a paused queue')
    .action(onServer(async (session, { words }) => change(session, words[0], { isPaused: false })));
  queues
    .command('set <name>')
    .description('set the limits of a queue')
    .option('--concurrency <count>', 'maximum number of jobs in flight, or "any"')
    .option('--high <depth>', 'refuse new jobs from this depth on, or "any"')
    .option('--low <depth>', 'accept them again from this depth on, or "any"')
    .action(onServer(set));
}
