import type { Command } from 'commander';
import type { OperationJson, OperationPreviewJson } from '../../contract/operation.ts';
import { UsageError } from '../exit-code.ts';
import { type Given, isForPrograms, onServer, type Session } from '../session.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { countText, harmless, sinceText } from '../terminal/words.ts';
import { instantIn } from './moment.ts';

interface StartOptions {
  readonly type?: string;
  readonly queue?: string;
  readonly phase?: string;
  readonly fingerprint?: string;
  readonly since?: string;
  readonly until?: string;
  readonly perSecond?: string;
  readonly dryRun?: boolean;
}

function columnsFor(now: number): Column<OperationJson>[] {
  return [
    { title: 'ID', text: ({ id }) => id },
    { title: 'ACTION', text: ({ action }) => action },
    { title: 'STATE', text: ({ state }) => state },
    { title: 'DONE', text: ({ done }) => done, isRight: true },
    { title: 'SKIPPED', text: ({ skipped }) => skipped, isRight: true },
    { title: 'FAILED', text: ({ failed }) => failed, isRight: true },
    { title: 'ASKED', text: ({ createdAt }) => sinceText(createdAt, now) },
    { title: 'FILTER', text: ({ filter }) => harmless(JSON.stringify(filter)) },
  ];
}

function show(session: Session, operations: readonly OperationJson[]): void {
  if (isForPrograms(session, operations)) return;
  const { screen } = session;
  for (const line of tableLines(screen, columnsFor(Date.now()), operations)) screen.data(line);
}

async function list(session: Session): Promise<void> {
  const call = { method: 'GET', path: '/v1/operations' } as const;
  const { items } = await session.call<{ items: OperationJson[] }>(call);
  if (items.length > 0 || session.screen.isJson) return show(session, items);
  session.screen.talk('No operations yet.');
}

function bodyOf(action: string, options: StartOptions): object {
  const { since, until, perSecond, dryRun, ...words } = options;
  const filter = {
    ...words,
    ...(since === undefined ? {} : { createdFrom: instantIn('--since', since) }),
    ...(until === undefined ? {} : { createdTo: instantIn('--until', until) }),
  };
  if (Object.keys(filter).length === 0) {
    throw new UsageError('say which jobs: --type, --queue, --fingerprint, --phase or --since');
  }
  const pace = perSecond === undefined ? null : Number(perSecond);
  if (pace !== null && !(pace > 0)) throw new UsageError('--per-second takes a number above 0');
  const rest = dryRun === true ? { dryRun: true } : {};
  return { action, filter, ...(pace === null ? {} : { perSecond: pace }), ...rest };
}

async function start(session: Session, { words, options }: Given<StartOptions>): Promise<void> {
  const { screen } = session;
  const body = bodyOf(words[0]!, options);
  const answer = await session.call<OperationJson | OperationPreviewJson>({
    method: 'POST',
    path: '/v1/operations',
    body,
  });
  if ('state' in answer) {
    if (screen.isJson) return screen.json(answer);
    screen.data(answer.id);
    return screen.talk(`Started. See its progress with: pawl operations show ${answer.id}`);
  }
  if (screen.isJson) return screen.json(answer);
  screen.data(`${countText(answer.count, 'job')}${answer.isMore ? ' or more' : ''}`);
  for (const { id, type, state } of answer.sample) screen.data(`  ${id}  ${type}  ${state}`);
  screen.talk('Nothing was changed. Leave --dry-run out to do it.');
}

/** Looks at one, or changes it. */
function one(verb: '' | '/stop' | '/undo') {
  return async (session: Session, { words }: Given<object>): Promise<void> => {
    const path = `/v1/operations/${encodeURIComponent(words[0] ?? '')}${verb}`;
    const method = verb === '' ? 'GET' : 'POST';
    const operation = await session.call<OperationJson>({ method, path });
    if (session.screen.isJson) session.screen.json(operation);
    else show(session, [operation]);
  };
}

/** `pawl operations …`. */
export function addOperations(program: Command): void {
  const operations = program
    .command('operations')
    .description('rerun or cancel all jobs that match a filter: preview, pace, stop, undo');
  operations
    .command('ls', { isDefault: true })
    .description('list operations')
    .action(onServer(list));
  operations
    .command('start <action>')
    .description('start an operation: rerun or cancel')
    .option('--type <type>', 'jobs of this type')
    .option('--queue <queue>', 'in this queue')
    .option('--fingerprint <fingerprint>', 'that failed for this cause: see "pawl failures"')
    .option('--phase <phase>', 'in this phase')
    .option('--since <time>', 'created since: 2h, or 2026-11-15T08:00')
    .option('--until <time>', 'created before: 1h, or 2026-11-15T09:00')
    .option('--per-second <count>', 'jobs per second; default: no limit')
    .option('--dry-run', 'count the jobs and show some; change nothing')
    .addHelpText('after', '\nExample: pawl operations start rerun --type mail --dry-run')
    .action(onServer(start));
  operations
    .command('show <id>')
    .description('one operation, with its progress')
    .action(onServer(one('')));
  operations
    .command('stop <id>')
    .description('stop an operation; its changes so far remain')
    .action(onServer(one('/stop')));
  operations
    .command('undo <id>')
    .description('cancel the jobs that it created and that have not started')
    .action(onServer(one('/undo')));
}
