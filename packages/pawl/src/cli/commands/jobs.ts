import type { Command } from 'commander';
import type { Page } from '../../client/client.ts';
import type { JobEventJson, JobJson } from '../../contract/job.ts';
import type { LifecycleJson } from '../../contract/lifecycle.ts';
import { EXIT, ExitError, UsageError } from '../exit-code.ts';
import { type Given, isForPrograms, onServer, type Session } from '../session.ts';
import { sinceText } from '../terminal/words.ts';
import { jobPage } from './job-page.ts';
import { jobLines } from './job-table.ts';
import { instantIn } from './moment.ts';
import { addRerun } from './rerun.ts';
import { addTree } from './tree.ts';
import { eventLine, requireSuccess, watchJob } from './watch.ts';

interface ListOptions {
  readonly type?: string;
  readonly state?: string;
  readonly phase?: string;
  readonly queue?: string;
  readonly document?: string;
  readonly correlation?: string;
  readonly since?: string;
  readonly until?: string;
  readonly text?: string;
  readonly error?: string;
  readonly fingerprint?: string;
  readonly limit: string;
  readonly cursor?: string;
}

const EVENTS_MAX = 1_000;

function idOf({ words }: { readonly words: readonly string[] }): string {
  return words[0] ?? '';
}

/** All events and notes of a job, page after page. */
export async function eventsOf(session: Session, id: string): Promise<JobEventJson[]> {
  const events: JobEventJson[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<JobEventJson> = await session.call({
      method: 'GET',
      path: `/v1/jobs/${encodeURIComponent(id)}/events`,
      query: { limit: EVENTS_MAX, ...(cursor === null ? {} : { cursor }) },
    });
    events.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return events;
}

/** A state that no lifecycle has would list nothing, as if there were no such jobs. */
async function requireState(session: Session, state: string): Promise<void> {
  const items = await session.client.all<LifecycleJson>('/v1/lifecycles');
  const known = new Set(items.flatMap(({ places }) => places.map((place) => place.state)));
  if (known.has(state)) return;
  const names = [...known].toSorted().join(', ');
  throw new UsageError(`--state is "${state}", which no lifecycle has: give one of ${names}`);
}

async function result(session: Session, given: Given<object>): Promise<void> {
  const path = `/v1/jobs/${encodeURIComponent(idOf(given))}/result`;
  session.screen.json(await session.call({ method: 'GET', path }));
}

async function submit(session: Session, given: Given<object>): Promise<void> {
  const { screen } = session;
  const path = `/v1/jobs/${encodeURIComponent(idOf(given))}/submit`;
  const job = await session.call<JobJson>({ method: 'POST', path, body: {} });
  if (screen.isJson) screen.json(job);
  else screen.data(`${job.id}  ${screen.paintPhase(job.phase, job.state)}`);
}

async function list(session: Session, { options }: Given<ListOptions>): Promise<void> {
  const { document, correlation, limit, since, until, ...filter } = options;
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 1) throw new UsageError('--limit takes a whole number');
  if (filter.state !== undefined) await requireState(session, filter.state);
  const { items, nextCursor } = await session.client.jobs({
    ...filter,
    limit: count,
    ...(document === undefined ? {} : { documentId: document }),
    ...(correlation === undefined ? {} : { correlationId: correlation }),
    ...(since === undefined ? {} : { createdFrom: instantIn('--since', since) }),
    ...(until === undefined ? {} : { createdTo: instantIn('--until', until) }),
  });
  const { screen } = session;
  if (!isForPrograms(session, items)) {
    for (const line of items.length === 0 ? [] : jobLines(screen, items, Date.now())) {
      screen.data(line);
    }
  }
  if (nextCursor === null && items.length > 0) return;
  if (nextCursor === null) screen.talk('No jobs match. Create one with "pawl enqueue <type>".');
  else if (items.length === count) screen.talk(`There are more: --cursor ${nextCursor}`);
  // A search looks at so many jobs at a time.
  else screen.talk(`Older jobs were not searched yet: --cursor ${nextCursor}`);
}

async function show(session: Session, given: Given<object>): Promise<void> {
  const { client, screen } = session;
  const id = idOf(given);
  const job = await client.job(id);
  if (screen.isJson) return screen.json(job);
  const events = await eventsOf(session, id);
  for (const line of jobPage(screen, { job, events, now: Date.now() })) screen.data(line);
}

async function input(session: Session, given: Given<object>): Promise<void> {
  session.screen.data(JSON.stringify(await session.client.input(idOf(given)), null, 2));
}

async function watch(session: Session, given: Given<object>): Promise<void> {
  const { client, screen } = session;
  if (given.words.length > 0) return requireSuccess(await watchJob(session, idOf(given)));
  for await (const item of client.everything()) {
    if (item.kind !== 'event') continue;
    const { event } = item;
    if (screen.isJson) screen.json(event);
    else screen.data(`${screen.paint('dim', event.jobId)}  ${eventLine(screen, event)}`);
  }
}

const SIGNS: ReadonlySet<string> = new Set(['job_heartbeat', 'job_lease_renewed']);

async function events(session: Session, given: Given<{ all?: boolean }>): Promise<void> {
  const all = await eventsOf(session, idOf(given));
  if (isForPrograms(session, all)) return;
  const shown = given.options.all === true ? all : all.filter(({ type }) => !SIGNS.has(type));
  for (const event of shown) session.screen.data(eventLine(session.screen, event));
  const hidden = all.length - shown.length;
  if (hidden > 0) session.screen.talk(`Heartbeats not shown: ${hidden}. See them with --all.`);
}

async function why(session: Session, given: Given<object>): Promise<void> {
  const { screen } = session;
  const answer = await session.call<{
    reason: string;
    message: string;
    since: string;
    until?: string | null;
    facts: Record<string, unknown>;
  }>({ method: 'GET', path: `/v1/jobs/${encodeURIComponent(idOf(given))}/why` });
  if (screen.isJson) return screen.json(answer);
  const now = Date.now();
  screen.data(screen.paint('bold', answer.message));
  screen.data(`${screen.paint('dim', 'reason'.padEnd(18))}${answer.reason}`);
  screen.data(`${screen.paint('dim', 'since'.padEnd(18))}${sinceText(answer.since, now)}`);
  if (typeof answer.until === 'string') {
    screen.data(`${screen.paint('dim', 'until'.padEnd(18))}${sinceText(answer.until, now)}`);
  }
  for (const [name, value] of Object.entries(answer.facts)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (value !== null) screen.data(`${screen.paint('dim', name.padEnd(18))}${text}`);
  }
}

interface CancelOptions {
  readonly hard?: boolean;
  readonly reason?: string;
}

async function cancel(session: Session, given: Given<CancelOptions>): Promise<void> {
  const { client, screen } = session;
  const { hard, reason } = given.options;
  let refused = 0;
  for (const id of given.words) {
    try {
      const how = { mode: hard === true ? ('hard' as const) : ('soft' as const) };
      const job: JobJson = await client.cancel(id, reason === undefined ? how : { ...how, reason });
      if (screen.isJson) screen.json(job);
      else screen.data(`${job.id}  ${screen.paintPhase(job.phase, cancelText(job))}`);
    } catch (error) {
      if (given.words.length === 1) throw error;
      refused += 1;
      screen.talk(`${id}: ${(error as Error).message}`);
    }
  }
  if (refused > 0) throw new ExitError(EXIT.conflict, `${refused} could not be cancelled`);
}

function cancelText({ phase, state }: JobJson): string {
  return phase === 'cancelled' ? state : `${state}: its worker was asked to stop`;
}

/** `pawl jobs …`. */
export function addJobs(program: Command): void {
  const jobs = program.command('jobs').description('inspect, cancel and rerun jobs');
  jobs
    .command('ls')
    .description('list jobs, newest first')
    .option('--type <type>', 'of this type')
    .option('--state <state>', 'in this state of its lifecycle')
    .option('--phase <phase>', 'held, ready, leased, executing, waiting, succeeded, failed, …')
    .option('--queue <queue>', 'in this queue')
    .option('--document <id>', 'for this document')
    .option('--correlation <id>', 'with this correlation id')
    .option('--since <time>', 'created since: 2h, or 2026-11-15T08:00')
    .option('--until <time>', 'created before: 1h, or 2026-11-15T09:00')
    .option('--text <text>', 'containing this text in message, document, metadata, error, …')
    .option('--error <text>', 'whose error has this code or class, or this text in its message')
    .option('--fingerprint <fingerprint>', 'with this failure fingerprint: see "pawl failures"')
    .option('--limit <count>', 'maximum number of rows', '20')
    .option('--cursor <cursor>', 'continue where an earlier page ended')
    .addHelpText(
      'after',
      '\nExample: pawl jobs ls --phase failed --since 2h --error timeout --json',
    )
    .action(onServer(list));
  jobs
    .command('show <id>')
    .description('show one job: state, details and timeline')
    .action(onServer(show));
  jobs
    .command('input <id>')
    .description('print the input of a job as JSON')
    .action(onServer(input));
  jobs
    .command('result <id>')
    .description('print the result of a succeeded job as JSON')
    .action(onServer(result));
  jobs
    .command('submit <id>')
    .description('submit a held job, so that it can be claimed')
    .action(onServer(submit));
  jobs
    .command('watch [id]')
    .description('print the events of one job until it has ended, or of all jobs')
    .addHelpText('after', '\nThe exit code is 0 if the job succeeded and 1 if it did not.')
    .action(onServer(watch));
  jobs
    .command('events <id>')
    .description('list the events and notes of a job')
    .option('--all', 'include heartbeats')
    .action(onServer(events));
  jobs.command('why <id>').description('explain why a job is in its state').action(onServer(why));
  jobs
    .command('cancel <ids...>')
    .description('cancel jobs; running handlers are asked to stop')
    .option('--hard', 'end running jobs at once')
    .option('--reason <text>', 'reason, kept in the history')
    .action(onServer(cancel));
  addTree(jobs);
  addRerun(jobs);
}
