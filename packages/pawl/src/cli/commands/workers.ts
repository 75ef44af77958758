import type { Command } from 'commander';
import type { WorkerJson } from '../../contract/worker-sign.ts';
import { capacityOf } from '../../core/figures.ts';
import { isForPrograms, onServer, type Session } from '../session.ts';
import type { Screen } from '../terminal/screen.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { sinceText } from '../terminal/words.ts';

const INKS = { working: 'green', draining: 'yellow', silent: 'red' } as const;

function columnsFor(screen: Screen, now: number): Column<WorkerJson>[] {
  return [
    { title: 'WORKER', text: ({ id }) => id },
    {
      title: 'STATE',
      text: ({ state }) => state,
      paint: ({ state }, text) => screen.paint(INKS[state], text),
    },
    { title: 'BUSY', text: ({ busy, slots }) => `${busy}/${slots ?? '?'}`, isRight: true },
    { title: 'HEARTBEAT', text: ({ lastBeatAt }) => sinceText(lastBeatAt, now) },
    { title: 'VERSION', text: ({ version }) => version },
    { title: 'TYPES', text: ({ types }) => types.join(', ') },
  ];
}

async function list(session: Session): Promise<void> {
  const { screen } = session;
  const items = await session.client.all<WorkerJson>('/v1/workers');
  if (isForPrograms(session, items)) return;
  if (items.length === 0) return screen.talk('No workers. Start one with "pawl worker --jobs …".');
  for (const line of tableLines(screen, columnsFor(screen, Date.now()), items)) screen.data(line);
  const { workers, slots, silent } = capacityOf(items);
  const unheard = silent === 0 ? '' : `; ${silent} silent, which claim no jobs`;
  screen.talk(`${workers} taking jobs, with ${slots} slots${unheard}.`);
}

/** `pawl workers`. */
export function addWorkers(program: Command): void {
  program
    .command('workers')
    .description('list workers: their types, load and last heartbeat')
    .action(onServer(list));
}
