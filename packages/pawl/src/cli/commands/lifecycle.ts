import type { Command } from 'commander';
import type { LifecycleJson } from '../../contract/lifecycle.ts';
import { UsageError } from '../exit-code.ts';
import { type Given, isForPrograms, onServer, type Session } from '../session.ts';
import { type Column, tableLines } from '../terminal/table.ts';

type Transition = LifecycleJson['transitions'][number];

function read(session: Session, name: string | undefined): Promise<LifecycleJson> {
  const path = `/v1/lifecycles/${encodeURIComponent(name ?? '')}`;
  return session.call<LifecycleJson>({ method: 'GET', path });
}

async function list(session: Session): Promise<void> {
  const items = await session.client.all<LifecycleJson>('/v1/lifecycles');
  if (isForPrograms(session, items)) return;
  const columns: Column<LifecycleJson>[] = [
    { title: 'LIFECYCLE', text: ({ name }) => name },
    { title: 'VERSION', text: ({ version }) => version, isRight: true },
    {
      title: 'STATES',
      text: ({ places }) => [...new Set(places.map(({ state }) => state))].join(', '),
    },
  ];
  for (const line of tableLines(session.screen, columns, items)) session.screen.data(line);
}

async function show(session: Session, { words }: Given<object>): Promise<void> {
  const { screen } = session;
  const lifecycle = await read(session, words[0]);
  if (screen.isJson) return screen.json(lifecycle);
  const columns: Column<Transition>[] = [
    { title: 'ON', text: ({ on }) => on },
    { title: 'FROM', text: ({ from }) => `${from.state} (${from.phase})` },
    { title: 'TO', text: ({ to }) => `${to.state} (${to.phase})` },
    { title: 'WHEN', text: ({ when }) => when ?? '' },
  ];
  screen.data(screen.paint('bold', `${lifecycle.name} v${lifecycle.version}`));
  for (const line of tableLines(screen, columns, lifecycle.transitions)) screen.data(line);
}

async function diagram(session: Session, { words, options }: Given<{ format: string }>) {
  const { format } = options;
  if (format !== 'mermaid' && format !== 'svg') throw new UsageError('--format: mermaid or svg');
  const path = `/v1/lifecycles/${encodeURIComponent(words[0] ?? '')}`;
  const text = await session.call<string>({ method: 'GET', path, query: { format } });
  session.screen.data(text.trimEnd());
}

/** `pawl lifecycle …`. */
export function addLifecycle(program: Command): void {
  const lifecycle = program.command('lifecycle').description('lifecycles: states and transitions');
  lifecycle
    .command('ls', { isDefault: true })
    .description('list lifecycles')
    .action(onServer(list));
  lifecycle
    .command('show <name>')
    .description('the transitions of a lifecycle')
    .action(onServer(show));
  lifecycle
    .command('diagram <name>')
    .description('a diagram of a lifecycle')
    .option('--format <format>', 'mermaid or svg', 'mermaid')
    .addHelpText('after', '\nExample: pawl lifecycle diagram task --format svg > task.svg')
    .action(onServer(diagram));
}
