import type { Command } from 'commander';
import type { DeadLetterJson } from '../../contract/dead-letter.ts';
import { UsageError } from '../exit-code.ts';
import { type Given, isForPrograms, onServer, type Session } from '../session.ts';
import type { Screen } from '../terminal/screen.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { harmless, sinceText } from '../terminal/words.ts';
import { readJson } from './enqueue.ts';
import { errorLines } from './job-page.ts';

interface ListOptions {
  readonly type?: string;
  readonly reason?: string;
  readonly limit: string;
}

interface ReplayOptions {
  readonly input?: string;
  readonly type?: string;
  readonly reason?: string;
  readonly perSecond?: string;
}

function columnsFor(screen: Screen, now: number): Column<DeadLetterJson>[] {
  return [
    { title: 'ID', text: ({ id }) => id },
    { title: 'TYPE', text: ({ type }) => type },
    {
      title: 'REASON',
      text: ({ reasonCode }) => reasonCode,
      paint: (_letter, text) => screen.paint('red', text),
    },
    { title: 'STAGE', text: ({ failureStage }) => failureStage },
    { title: 'ATTEMPTS', text: ({ attempts }) => attempts, isRight: true },
    { title: 'SINCE', text: ({ createdAt }) => sinceText(createdAt, now) },
    { title: 'REPLAYED', text: ({ replayedAs }) => (replayedAs === null ? 'no' : 'yes') },
    { title: 'ERROR', text: ({ lastError }) => lastError.message },
  ];
}

async function list(session: Session, { options }: Given<ListOptions>): Promise<void> {
  const { client, screen } = session;
  const { type, reason, limit } = options;
  const { items, nextCursor } = await client.deadLetters({
    limit: Number(limit),
    ...(type === undefined ? {} : { type }),
    ...(reason === undefined ? {} : { reasonCode: reason }),
  });
  if (isForPrograms(session, items)) return;
  if (items.length === 0) return screen.talk('No dead letters.');
  for (const line of tableLines(screen, columnsFor(screen, Date.now()), items)) screen.data(line);
  if (nextCursor !== null) screen.talk('There are more: raise --limit, or narrow the filter.');
}

async function show(session: Session, { words }: Given<object>): Promise<void> {
  const id = encodeURIComponent(words[0] ?? '');
  const letter = await session.call<DeadLetterJson>({ method: 'GET', path: `/v1/dlq/${id}` });
  const { screen } = session;
  if (screen.isJson) return screen.json(letter);
  const { stack: _stack, causes: _causes, ...lastError } = letter.lastError;
  for (const [name, value] of Object.entries({ ...letter, lastError })) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    screen.data(`${screen.paint('dim', name.padEnd(20))}${harmless(text)}`);
  }
  for (const line of errorLines(screen, letter.lastError)) screen.data(line);
}

async function replay(session: Session, { words, options }: Given<ReplayOptions>): Promise<void> {
  const { client, screen } = session;
  const { input, type, reason, perSecond } = options;
  if (words.length === 1 && words[0] !== undefined) {
    const how = input === undefined ? {} : { input: await readJson(input, '--input') };
    const job = await client.replay(words[0], how);
    if (screen.isJson) return screen.json(job);
    screen.data(job.id);
    return screen.talk(`Replayed. Follow it with: pawl jobs watch ${job.id}`);
  }
  const filter = { ...(type && { type }), ...(reason && { reasonCode: reason }) };
  const isFiltered = Object.keys(filter).length > 0;
  if (words.length === 0 && !isFiltered) {
    throw new UsageError('give ids, or --type or --reason for all that match');
  }
  if (input !== undefined) throw new UsageError('--input goes with one id');
  const answer = await session.call<object>({
    method: 'POST',
    path: '/v1/dlq/replay',
    body: {
      ...(words.length > 0 ? { ids: words } : { filter }),
      ...(perSecond === undefined ? {} : { perSecond: Number(perSecond) }),
    },
  });
  screen.json(answer);
}

/** `pawl dlq …`. */
export function addDlq(program: Command): void {
  const dlq = program.command('dlq').description('the dead-letter queue');
  dlq
    .command('ls')
    .description('list dead letters')
    .option('--type <type>', 'of this type of job')
    .option('--reason <code>', 'with this reason')
    .option('--limit <count>', 'maximum number of rows', '20')
    .action(onServer(list));
  dlq.command('show <id>').description('one dead letter').action(onServer(show));
  dlq
    .command('replay [ids...]')
    .description('replay dead letters as new jobs')
    .option('-i, --input <json>', 'with another input: JSON, @file or -')
    .option('--type <type>', 'all of this type')
    .option('--reason <code>', 'all with this reason')
    .option('--per-second <rate>', 'replays per second, to spread the load')
    .addHelpText(
      'after',
      '\nExample: pawl dlq replay --reason dependency_unavailable --per-second 5',
    )
    .action(onServer(replay));
}
