import type { Command } from 'commander';
import { EXIT, ExitError, UsageError } from '../exit-code.ts';
import { Screen } from '../terminal/screen.ts';
import { countText } from '../terminal/words.ts';

interface UpgradeOptions {
  readonly copy: string;
  readonly from: string;
  readonly jobs: string;
}

async function upgrade(options: UpgradeOptions, command: Command): Promise<void> {
  const jobs = Number(options.jobs);
  if (!Number.isInteger(jobs) || jobs < 1) throw new UsageError('--jobs must be 1 or more');
  const isJson = command.optsWithGlobals<{ json?: boolean }>().json === true;
  const screen = new Screen({ isJson });
  // The stores are large; the other commands need nothing of them.
  const { drillUpgrade } = await import('../../drill/upgrade.ts');
  const say = (line: string): void => (isJson ? undefined : screen.talk(line));
  const report = await drillUpgrade({ ...options, jobs, env: process.env, say });
  if (isJson) screen.json(report);
  else {
    for (const violation of report.violations) screen.data(`✗ ${violation}`);
    screen.data(
      `${report.from} → ${report.to}: ${countText(report.jobs, 'job')} of both releases, ` +
        `migrated in ${report.migrationMs} ms, ` +
        `slowest enqueue of ${report.from} ${report.slowestMs} ms`,
    );
  }
  if (report.violations.length === 0) return;
  throw new ExitError(EXIT.failed, countText(report.violations.length, 'violation'));
}

/** `pawl drill`. */
export function addDrill(program: Command): void {
  const drill = program
    .command('drill')
    .description('rehearse operations on a copy of the database');
  drill
    .command('upgrade')
    .description('run the installed release and this one side by side on a copy of the database')
    .requiredOption('--copy <url>', 'a copy of the PostgreSQL database; it is migrated')
    .option('--from <folder>', 'a project with the older release', '.')
    .option('--jobs <count>', 'jobs of each process in each part', '50')
    .addHelpText(
      'after',
      '\nNo job of the copy is run, and nothing leaves it: the drill has job types of its own.' +
        '\nExample: npx pawl@latest drill upgrade --copy postgres://pawl@db.internal/pawl_copy',
    )
    .action((options: UpgradeOptions, command: Command) => upgrade(options, command));
}
