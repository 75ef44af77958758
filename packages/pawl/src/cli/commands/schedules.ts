import type { Command } from 'commander';
import type { FireJson, ScheduleJson } from '../../contract/schedule.ts';
import { UsageError } from '../exit-code.ts';
import { type Given, isForPrograms, onServer, type Session } from '../session.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { durationText, sinceText } from '../terminal/words.ts';
import { readJson } from './enqueue.ts';

function pathOf(name: string | undefined, verb?: string): string {
  const path = `/v1/schedules/${encodeURIComponent(name ?? '')}`;
  return verb === undefined ? path : `${path}/${verb}`;
}

function ruleText({ rule }: ScheduleJson): string {
  switch (rule.kind) {
    case 'cron':
      return `${rule.expression} ${rule.timeZone ?? 'UTC'}`;
    case 'interval':
      return `every ${durationText(rule.everyMs)}`;
    case 'once':
      return `once at ${rule.at}`;
  }
}

function stateText({ isPaused, next }: ScheduleJson): string {
  return isPaused ? 'paused' : `next ${next[0] ?? 'never'}`;
}

async function list(session: Session): Promise<void> {
  const { screen } = session;
  const items = await session.client.all<ScheduleJson>('/v1/schedules');
  if (isForPrograms(session, items)) return;
  if (items.length === 0) return screen.talk('No schedules yet: pawl schedules put --help');
  const now = Date.now();
  const columns: Column<ScheduleJson>[] = [
    { title: 'SCHEDULE', text: ({ name }) => name },
    { title: 'STATE', text: ({ isPaused }) => (isPaused ? 'paused' : 'on') },
    { title: 'NEXT', text: ({ next }) => sinceText(next[0] ?? null, now) },
    { title: 'TYPE', text: ({ job }) => job.type },
    { title: 'RULE', text: ruleText },
  ];
  for (const line of tableLines(screen, columns, items)) screen.data(line);
}

async function show(session: Session, { words }: Given<object>): Promise<void> {
  const schedule = await session.call<ScheduleJson>({ method: 'GET', path: pathOf(words[0]) });
  if (session.screen.isJson) session.screen.json(schedule);
  else session.screen.data(JSON.stringify(schedule, null, 2));
}

async function put(session: Session, { words, options }: Given<{ definition?: string }>) {
  const { definition } = options;
  if (definition === undefined) throw new UsageError('--definition is missing: JSON, @file or -');
  const body = await readJson(definition, '--definition');
  const call = { method: 'PUT', path: pathOf(words[0]), body } as const;
  const schedule = await session.call<ScheduleJson>(call);
  if (session.screen.isJson) session.screen.json(schedule);
  else session.screen.data(`${schedule.name}: ${stateText(schedule)}`);
}

function switched(verb: 'pause' | 'resume') {
  return async (session: Session, { words }: Given<object>): Promise<void> => {
    const call = { method: 'POST', path: pathOf(words[0], verb), body: {} } as const;
    const schedule = await session.call<ScheduleJson>(call);
    if (session.screen.isJson) session.screen.json(schedule);
    else session.screen.data(`${schedule.name}: ${stateText(schedule)}`);
  };
}

async function run(session: Session, { words }: Given<object>): Promise<void> {
  const call = { method: 'POST', path: pathOf(words[0], 'run'), body: {} } as const;
  const fire = await session.call<FireJson>(call);
  if (session.screen.isJson) session.screen.json(fire);
  else session.screen.data(`${words[0]}: job ${fire.jobId ?? '–'}`);
}

async function history(session: Session, { words }: Given<object>): Promise<void> {
  const { items } = await session.call<{ items: FireJson[] }>({
    method: 'GET',
    path: pathOf(words[0], 'history'),
  });
  if (isForPrograms(session, items)) return;
  const columns: Column<FireJson>[] = [
    { title: 'SLOT', text: ({ slot }) => slot },
    { title: 'RESULT', text: ({ result, isManual }) => `${result}${isManual ? ' by hand' : ''}` },
    { title: 'JOB', text: ({ jobId }) => jobId },
    { title: 'REASON', text: ({ reason }) => reason },
  ];
  for (const line of tableLines(session.screen, columns, items)) session.screen.data(line);
}

async function remove(session: Session, { words }: Given<object>): Promise<void> {
  await session.call<unknown>({ method: 'DELETE', path: pathOf(words[0]) });
  session.screen.talk(`${words[0]}: removed`);
}

const EXAMPLE = `
Example: pawl schedules put nightly -d '{"rule":{"kind":"cron","expression":"0 3 * * *",
  "timeZone":"Europe/Berlin"},"job":{"type":"report","input":{}}}'`;

/** `pawl schedules …`. */
export function addSchedules(program: Command): void {
  const schedules = program.command('schedules').description('recurring jobs');
  schedules.command('ls', { isDefault: true }).description('list schedules').action(onServer(list));
  schedules.command('show <name>').description('one schedule').action(onServer(show));
  schedules
    .command('put <name>')
    .description('create or change a schedule')
    .option('-d, --definition <json>', 'JSON, @file, or - for standard input')
    .addHelpText('after', EXAMPLE)
    .action(onServer(put));
  schedules
    .command('pause <name>')
    .description('pause a schedule')
    .action(onServer(switched('pause')));
  schedules
    .command('resume <name>')
    .description('resume a schedule')
    .action(onServer(switched('resume')));
  schedules.command('run <name>').description('run a schedule now').action(onServer(run));
  schedules
    .command('history <name>')
    .description('past runs of a schedule')
    .action(onServer(history));
  schedules.command('rm <name>').description('remove a schedule').action(onServer(remove));
}
