import type { Command } from 'commander';
import type { FailureCauseJson, FailureDetailJson } from '../../contract/failure.ts';
import { UsageError } from '../exit-code.ts';
import { type Given, isForPrograms, onServer, type Session } from '../session.ts';
import type { Screen } from '../terminal/screen.ts';
import { clipped, countText, harmless, sinceText } from '../terminal/words.ts';
import { instantIn } from './moment.ts';

interface FailuresOptions {
  readonly type?: string;
  readonly queue?: string;
  readonly since?: string;
  readonly until?: string;
  readonly fingerprint?: string;
  readonly limit: string;
}

const INDENT = '  ';

/** A cause: what and how often, why it was not retried, and what can be done. */
function causeLines(screen: Screen, cause: FailureCauseJson, now: number): string[] {
  const { type, count, deadLetters, fingerprint, hint, jobId } = cause;
  const times = count === 1 ? sinceText(cause.lastSeen, now) : timesText(cause, now);
  const kept = deadLetters === 0 ? 'no dead letter' : countText(deadLetters, 'dead letter');
  const head = `${screen.paint('bold', type)}  ${screen.paint('red', cause.class)}  `;
  const error = harmless(`${cause.code}: ${cause.message}`);
  return [
    `${head}${countText(count, 'job')}, ${times}, ${kept}`,
    `${INDENT}${clipped(error, Math.max(20, screen.columns - INDENT.length))}`,
    ...(hint === null ? [] : [`${INDENT}${screen.paint('yellow', harmless(hint))}`]),
    `${INDENT}${screen.paint('dim', `pawl jobs show ${jobId}`)}`,
    `${INDENT}${screen.paint('dim', `pawl jobs rerun --fingerprint ${fingerprint}`)}`,
  ];
}

function timesText({ firstSeen, lastSeen }: FailureCauseJson, now: number): string {
  return `last ${sinceText(lastSeen, now)}, first ${sinceText(firstSeen, now)}`;
}

function countsText(counts: FailureDetailJson['queues']): string {
  return counts.map(({ name, count }) => `${harmless(name)} × ${count}`).join(', ');
}

/** Where and under which versions; what is not known is said to be so. */
function detailLines({ queues, stages, versions, tenants }: FailureDetailJson): string[] {
  const unknown = versions.unknown === 0 ? [] : [{ name: 'unknown', count: versions.unknown }];
  const told = {
    queues,
    stages,
    [`worker versions (last ${versions.looked})`]: [...versions.names, ...unknown],
    tenants: tenants?.names ?? [],
  };
  return Object.entries(told)
    .filter(([, counts]) => counts.length > 0)
    .map(([title, counts]) => `${INDENT}${title}: ${countsText(counts)}`);
}

async function show(session: Session, fingerprint: string): Promise<void> {
  const detail = await session.client.failure(fingerprint);
  const { screen } = session;
  if (isForPrograms(session, [detail])) return;
  for (const line of causeLines(screen, detail.cause, Date.now())) screen.data(line);
  for (const line of detailLines(detail)) screen.data(line);
  if (detail.stack !== null) screen.data(harmless(detail.stack));
}

async function list(session: Session, { options }: Given<FailuresOptions>): Promise<void> {
  const { limit, since, until, fingerprint, ...filter } = options;
  if (fingerprint !== undefined) return show(session, fingerprint);
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 1) throw new UsageError('--limit takes a whole number');
  const { items, nextCursor } = await session.client.failures({
    ...filter,
    limit: count,
    ...(since === undefined ? {} : { createdFrom: instantIn('--since', since) }),
    ...(until === undefined ? {} : { createdTo: instantIn('--until', until) }),
  });
  const { screen } = session;
  if (isForPrograms(session, items)) return;
  if (items.length === 0) return screen.talk('No failures: no job has failed.');
  const now = Date.now();
  for (const [index, cause] of items.entries()) {
    if (index > 0) screen.data('');
    for (const line of causeLines(screen, cause, now)) screen.data(line);
  }
  if (nextCursor !== null) screen.talk('There are more: raise --limit, or narrow the filter.');
}

/** `pawl failures`. */
export function addFailures(program: Command): void {
  program
    .command('failures')
    .description('list failed jobs by cause, with the command that reruns them')
    .option('--type <type>', 'of this type of job')
    .option('--queue <queue>', 'in this queue')
    .option('--since <time>', 'created since: 2h, or 2026-11-15T08:00')
    .option('--until <time>', 'created before: 1h, or 2026-11-15T09:00')
    .option('--fingerprint <fingerprint>', 'one cause, with queues, stages, versions and stack')
    .option('--limit <count>', 'maximum number of causes', '20')
    .addHelpText('after', '\nWith and without dead letters. Example: pawl failures --since 1d')
    .action(onServer(list));
}
