import type { Command } from 'commander';
import type { ItemResult } from '../../client/client.ts';
import { EXIT, ExitError, UsageError } from '../exit-code.ts';
import { type Given, isForPrograms, onServer, type Session } from '../session.ts';
import { countText } from '../terminal/words.ts';
import { readJson } from './enqueue.ts';
import { instantIn } from './moment.ts';

interface RerunOptions {
  readonly input?: string;
  readonly keep?: true;
  readonly type?: string;
  readonly phase?: string;
  readonly queue?: string;
  readonly fingerprint?: string;
  readonly since?: string;
  readonly until?: string;
}

async function rerun(session: Session, { words, options }: Given<RerunOptions>): Promise<void> {
  const { input, keep = false, ...rest } = options;
  const filter = filterOf(rest);
  const isFiltered = Object.keys(filter).length > 0;
  if (words.length > 0 && isFiltered) throw new UsageError('give ids, or a filter: not both');
  if (words.length === 1) return rerunOne(session, words[0]!, { input, keep });
  if (input !== undefined) throw new UsageError('--input goes with one id');
  if (words.length > 0) return tell(session, await rerunIds(session, words, keep));
  if (isFiltered) return tell(session, await rerunAll(session, filter, keep));
  throw new UsageError('give ids, or a filter such as --type, --fingerprint or --since');
}

function filterOf(options: Omit<RerunOptions, 'input' | 'keep'>): Readonly<Record<string, string>> {
  const { since, until, ...words } = options;
  return {
    ...words,
    ...(since === undefined ? {} : { createdFrom: instantIn('--since', since) }),
    ...(until === undefined ? {} : { createdTo: instantIn('--until', until) }),
  };
}

async function rerunOne(
  session: Session,
  id: string,
  { input, keep }: { input: string | undefined; keep: boolean },
): Promise<void> {
  const { client, screen } = session;
  const given = input === undefined ? {} : { input: await readJson(input, '--input') };
  const how = keep ? { ...given, keep } : given;
  const { job } = await client.rerun(id, how);
  if (screen.isJson) return screen.json(job);
  screen.data(job.id);
  screen.talk(`Running again. Follow it with: pawl jobs watch ${job.id}`);
}

async function rerunIds(
  session: Session,
  ids: readonly string[],
  keep: boolean,
): Promise<readonly ItemResult[]> {
  return (await session.client.operations.rerunMany({ ids, ...(keep ? { keep } : {}) })).results;
}

/** Page after page, until the filter finds no more. */
async function rerunAll(
  { client }: Session,
  filter: Readonly<Record<string, string>>,
  keep: boolean,
): Promise<readonly ItemResult[]> {
  const results: ItemResult[] = [];
  let cursor: string | null = null;
  do {
    const from: { cursor?: string } = cursor === null ? {} : { cursor };
    const page = await client.operations.rerunMany({ filter, ...from, ...(keep ? { keep } : {}) });
    results.push(...page.results);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return results;
}

function tell(session: Session, results: readonly ItemResult[]): void {
  const { screen } = session;
  const refused = results.filter(({ job }) => job === undefined);
  if (!isForPrograms(session, results)) {
    for (const { job } of results) if (job !== undefined) screen.data(job.id);
    for (const { id, error } of refused) screen.talk(`${id}: ${error?.detail}`);
    if (results.length === 0) {
      screen.talk('Nothing to rerun: no jobs match, or all of them were rerun before.');
    } else screen.talk(`${countText(results.length - refused.length, 'job')} running again.`);
  }
  if (refused.length > 0) {
    throw new ExitError(
      EXIT.conflict,
      `${countText(refused.length, 'job')} could not be run again`,
    );
  }
}

/** `pawl jobs rerun`. */
export function addRerun(jobs: Command): void {
  jobs
    .command('rerun [ids...]')
    .description('run jobs that have ended again, as new jobs')
    .option('-i, --input <json>', 'with another input (one id only): JSON, @file or -')
    .option('--keep', 'keep the results of finished stages, except those whose artifacts are gone')
    .option('--type <type>', 'failed jobs of this type')
    .option('--queue <queue>', 'in this queue')
    .option('--fingerprint <fingerprint>', 'for this cause: see "pawl failures"')
    .option('--phase <phase>', 'ended in this phase: failed, dead, cancelled or succeeded')
    .option('--since <time>', 'created since: 2h, or 2026-11-15T08:00')
    .option('--until <time>', 'created before: 1h, or 2026-11-15T09:00')
    .addHelpText(
      'after',
      '\nA filter skips jobs that were rerun or replayed before; ids do not.\n' +
        'Example: pawl jobs rerun --type mail --since 2h',
    )
    .action(onServer(rerun));
}
