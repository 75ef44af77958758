import type { Command } from 'commander';
import type { PastJobJson, PastJson } from '../../contract/past.ts';
import { type Given, onServer, type Session } from '../session.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { countText, durationText } from '../terminal/words.ts';
import { instantIn } from './moment.ts';

type PlaceJson = PastJson['places'][number];

const COLUMNS: readonly Column<PlaceJson>[] = [
  { title: 'QUEUE', text: ({ queue }) => queue },
  { title: 'TYPE', text: ({ type }) => type },
  { title: 'STATE', text: ({ state }) => state },
  { title: 'JOBS', text: ({ count }) => String(count), isRight: true },
];

async function past(session: Session, { words }: Given<object>): Promise<void> {
  const [time = '', id] = words;
  const query = { at: instantIn('<time>', time) };
  if (id !== undefined) return pastJob(session, id, query);
  const { screen } = session;
  const found = await session.call<PastJson>({ method: 'GET', path: '/v1/past', query });
  if (screen.isJson) return screen.json(found);
  if (found.places.length > 0) {
    for (const line of tableLines(screen, COLUMNS, found.places)) screen.data(line);
  }
  const total = found.places.reduce((sum, { count }) => sum + count, 0);
  const back = found.since === null ? '' : ` The log goes back to ${found.since}.`;
  screen.talk(`${countText(total, 'job')} had not ended at ${found.at}.${back}`);
}

async function pastJob(session: Session, id: string, query: { at: string }): Promise<void> {
  const { screen } = session;
  const path = `/v1/jobs/${encodeURIComponent(id)}/past`;
  const job = await session.call<PastJobJson>({ method: 'GET', path, query });
  if (screen.isJson) return screen.json(job);
  const then = Date.parse(job.at);
  const line = (name: string, text: string | number | null): void => {
    if (text !== null) screen.data(`${screen.paint('dim', name.padEnd(18))}${text}`);
  };
  screen.data(screen.paint('bold', `${job.id} at ${job.at}`));
  line('state', screen.paintPhase(job.phase, job.state));
  line('type', job.type);
  line('queue', job.queue);
  line('worker', job.worker);
  line('attempts', job.attempts);
  line('progress', `${job.progress} %${job.stage === null ? '' : `, stage ${job.stage}`}`);
  line('message', job.message);
  line('error', job.error === null ? null : `${job.error.code}: ${job.error.message}`);
  line('last change', `${durationText(then - Date.parse(job.updatedAt))} before`);
}

/** `pawl past`. */
export function addPast(program: Command): void {
  program
    .command('past')
    .description('where jobs stood at a past moment, or how one job did')
    .argument('<time>', '2h for two hours ago, or 2026-11-15T08:00')
    .argument('[job]', 'the id of a job')
    .action(onServer(past));
}
