import type { Command } from 'commander';
import type { TypeBodyJson, TypeJson } from '../../contract/type.ts';
import { UsageError } from '../exit-code.ts';
import { type Given, isForPrograms, onServer, type Session } from '../session.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { durationText } from '../terminal/words.ts';
import { readJson } from './enqueue.ts';

const COLUMNS: readonly Column<TypeJson>[] = [
  { title: 'TYPE', text: ({ type }) => type },
  { title: 'LIFECYCLE', text: ({ lifecycle }) => lifecycle },
  { title: 'ATTEMPTS', text: ({ retry }) => retry.maxAttempts, isRight: true },
  { title: 'LEASE', text: ({ lease }) => durationText(lease.ttlMs), isRight: true },
  {
    title: 'TIMEOUT',
    text: ({ timeoutMs }) => (timeoutMs === null ? 'none' : durationText(timeoutMs)),
    isRight: true,
  },
  { title: 'STAGES', text: ({ stages }) => stages.map(({ name }) => name).join(' → ') || '–' },
];

async function list(session: Session): Promise<void> {
  const { screen } = session;
  const items = await session.client.all<TypeJson>('/v1/types');
  if (isForPrograms(session, items)) return;
  if (items.length === 0) return screen.talk('No types yet: start a worker with a module of jobs.');
  for (const line of tableLines(screen, COLUMNS, items)) screen.data(line);
}

async function show(session: Session, { words }: Given<object>): Promise<void> {
  const path = `/v1/types/${encodeURIComponent(words[0] ?? '')}`;
  const type = await session.call<TypeJson>({ method: 'GET', path });
  if (session.screen.isJson) session.screen.json(type);
  else session.screen.data(JSON.stringify(type, null, 2));
}

async function put(session: Session, { words, options }: Given<{ definition?: string }>) {
  const { definition } = options;
  if (definition === undefined) throw new UsageError('--definition is missing: JSON, @file or -');
  const body = (await readJson(definition, '--definition')) as TypeBodyJson;
  const type = await session.client.putType(words[0] ?? '', body);
  if (session.screen.isJson) session.screen.json(type);
  else session.screen.data(`${type.type}: revision ${type.revision}`);
}

/** `pawl types …`. */
export function addTypes(program: Command): void {
  const types = program.command('types').description('job types: retries, leases, limits');
  types.command('ls', { isDefault: true }).description('list types').action(onServer(list));
  types.command('show <type>').description('one type with all its settings').action(onServer(show));
  types
    .command('put <type>')
    .description('register a type for workers of any language')
    .option('-d, --definition <json>', 'JSON, @file, or - for standard input')
    .addHelpText('after', `\nExample: pawl types put hello -d '{"lifecycle":"task"}'`)
    .action(onServer(put));
}
