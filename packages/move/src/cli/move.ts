import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { isMovable, type KindReport, moveJobs, giveBack, survey, countOf } from '../move.ts';
import { typesHere } from '../here.ts';
import { MoveError } from '../move-error.ts';
import { moveSchedules, planSchedules } from '../schedules.ts';
import { type Source, type SourceOptions, type SystemName, SYSTEMS } from '../source.ts';
import { parseTypeMap } from '../type-map.ts';
import { EXIT, ExitError, type Given, onServer, type Session, UsageError } from 'pawl/cli';
import { MoveScreen } from './move-screen.ts';

interface MoveCommandOptions {
  readonly from?: string;
  readonly queue: readonly string[];
  readonly typeMap: readonly string[];
  readonly batch: string;
  readonly schema?: string;
  readonly prefix?: string;
  readonly crontab?: string;
  readonly schedules?: boolean;
  readonly dryRun?: boolean;
  readonly giveBack?: boolean;
}

const BATCH_MAX = 1_000;

const FROM: Readonly<Record<SystemName, string>> = {
  bullmq: 'URL of its Redis, such as redis://localhost:6379',
  'pg-boss': 'URL of its database, such as postgres://localhost/app',
  'graphile-worker': 'URL of its database, such as postgres://localhost/app',
};

/** Each reads with another library, which only who needs it must have. */
const OPENERS: Readonly<Record<SystemName, (options: SourceOptions) => Promise<Source>>> = {
  bullmq: async (options) => {
    const { openBullmq } = await import('../bullmq.ts');
    return openBullmq(options, process.cwd());
  },
  'pg-boss': async (options) => (await import('../pg-boss.ts')).openPgBoss(options),
  'graphile-worker': async (options) =>
    (await import('../graphile-worker.ts')).openGraphileWorker(options),
};

async function sourceOptions(options: MoveCommandOptions): Promise<SourceOptions> {
  const { from, queue, schema, prefix, crontab } = options;
  if (from === undefined) throw new UsageError('--from is missing: say where the jobs are');
  const common = { url: from, queues: queue, place: schema ?? prefix };
  if (crontab === undefined) return common;
  const { readCrontab } = await import('../crontab.ts');
  try {
    return { ...common, crontab: readCrontab(await readFile(crontab, 'utf8')) };
  } catch (error) {
    throw new UsageError(`--crontab names ${crontab}: ${(error as Error).message}`);
  }
}

function batchOf({ batch }: MoveCommandOptions): number {
  const count = Number(batch);
  if (Number.isInteger(count) && count >= 1 && count <= BATCH_MAX) return count;
  throw new UsageError(`--batch takes a whole number from 1 to ${BATCH_MAX}`);
}

function typesOf({ typeMap }: MoveCommandOptions): ReadonlyMap<string, string> {
  const types = parseTypeMap(typeMap);
  if (types !== null) return types;
  throw new UsageError('--type-map takes old=new, such as mail/welcome=send-welcome');
}

/** What was left behind that somebody has to look at. */
function complaintOf(reports: readonly KindReport[]): string | null {
  const unknown = reports.filter((one) => !isMovable(one) && countOf(one) > 0);
  const refused = reports.reduce((sum, one) => sum + one.refused, 0);
  const parts = [
    ...(unknown.length === 0
      ? []
      : [
          `no type here for ${unknown.map(({ kind }) => kind).join(', ')}: start the platform ` +
            'with those jobs defined, or say what they are with --type-map',
        ]),
    ...(refused === 0 ? [] : [`${refused} refused, see above: they are still there`]),
  ];
  return parts.length === 0 ? null : parts.join('\n');
}

async function run(session: Session, source: Source, options: MoveCommandOptions): Promise<void> {
  const { client } = session;
  const types = typesOf(options);
  const batch = batchOf(options);
  const screen = new MoveScreen(session.screen);
  const here = await typesHere(client);
  const reports = await survey({ source, types, here });
  const plans = await planSchedules(source, { types, here });
  const isGivingBack = options.giveBack === true;
  const isDry = options.dryRun === true;
  if (!isDry) {
    const chosen = isGivingBack ? reports : reports.filter(isMovable);
    const total = chosen.reduce((sum, report) => sum + countOf(report), 0);
    const onProgress = (done: number): void => screen.progress(done, total);
    const common = { source, client, batch, onProgress };
    if (isGivingBack) await giveBack(reports, common);
    else {
      const onRefusal = screen.refusal.bind(screen);
      await moveJobs(reports, { ...common, types, here, onRefusal });
      if (options.schedules === true) await moveSchedules(plans, { source, client });
    }
  }
  const remarks = isDry ? [] : await source.letGo();
  screen.summary({ reports, plans: isGivingBack ? [] : plans, isDry, remarks });
  const complaint = isGivingBack ? null : complaintOf(reports);
  if (complaint !== null) throw new ExitError(EXIT.failed, complaint);
}

function moveFrom(system: SystemName) {
  return async (session: Session, { options }: Given<MoveCommandOptions>): Promise<void> => {
    const isUsage = (code: MoveError['code']): boolean =>
      code === 'SOURCE_ADDRESS' || code === 'LIBRARY_MISSING';
    let source: Source | undefined;
    try {
      source = await OPENERS[system](await sourceOptions(options));
      await run(session, source, options);
    } catch (error) {
      if (!(error instanceof MoveError)) throw error;
      const exit = error.code === 'SOURCE_EMPTY' ? EXIT.notFound : EXIT.failed;
      throw new ExitError(
        isUsage(error.code) ? EXIT.usage : exit,
        `${error.message} (${error.code})`,
      );
    } finally {
      await source?.close();
    }
  };
}

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** `pawl move …`. */
export function addMove(program: Command): void {
  const move = program
    .command('move')
    .description('import the waiting jobs of another queue, each exactly once')
    .addHelpText(
      'after',
      `
A job is held there, accepted here and only then removed there. Interrupted, run it again.
Jobs that are being worked on, and those that have failed for good, stay where they are.

Example: pawl move pg-boss --from postgres://localhost/app --type-map a=b --dry-run`,
    );
  for (const system of SYSTEMS) {
    const command = move
      .command(system)
      .description(`import from ${system}`)
      .option('--from <url>', FROM[system])
      .option('--queue <name>', 'only this queue or task; repeatable', collect, [])
      .option(
        '--type-map <old=new>',
        'rename a type: its name there=its name in Pawl; repeatable',
        collect,
        [],
      )
      .option('--batch <count>', 'number of jobs per batch', '100')
      .option('--schedules', 'create the recurring jobs as well, instead of listing them')
      .option('--dry-run', 'report what would be moved; change nothing')
      .option(
        '--give-back',
        'undo an interrupted move: jobs that were not imported remain in the other queue',
      );
    if (system === 'bullmq')
      command.option('--prefix <prefix>', 'prefix of its keys; default: bull');
    else command.option('--schema <schema>', 'its schema; default: that of the queue');
    if (system === 'graphile-worker')
      command.option('--crontab <file>', 'file to read recurring jobs from');
    command.action(onServer(moveFrom(system)));
  }
}
