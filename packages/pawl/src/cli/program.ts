import { Command } from 'commander';
import { addBackup } from './commands/backup.ts';
import { addCells } from './commands/cells.ts';
import { addCompletions } from './commands/completions.ts';
import { addDlq } from './commands/dlq.ts';
import { addFailures } from './commands/failures.ts';
import { addDoctor } from './commands/doctor.ts';
import { addDrill } from './commands/drill.ts';
import { addEnqueue } from './commands/enqueue.ts';
import { addHistory } from './commands/history.ts';
import { addJobs } from './commands/jobs.ts';
import { addKeys } from './commands/keys.ts';
import { addLifecycle } from './commands/lifecycle.ts';
import { addMigrate } from './commands/migrate.ts';
import { addOperations } from './commands/operations.ts';
import { addPast } from './commands/past.ts';
import { addQueues } from './commands/queues.ts';
import { addSchedules } from './commands/schedules.ts';
import { addSlo } from './commands/slo.ts';
import { addTypes } from './commands/job-types.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { addWorker } from './commands/worker.ts';
import { addWhatIf } from './commands/what-if.ts';
import { addWorkers } from './commands/workers.ts';
import type { AddCommand } from '../plugin/plugin.ts';
import { addMissing, loadCommands } from './packages.ts';
import { DEFAULT_URL } from './session.ts';

const EXAMPLES = `
Examples:
  pawl start                                      the platform on SQLite in ./data
  DATABASE_URL=postgres://… pawl start --role api an API process of several
  pawl demo                                       a demonstration, in half a minute
  pawl enqueue greet --input '{"names":["Ada"]}' --watch
  pawl jobs ls --phase failed
  pawl jobs why <id>

Exit codes: 0 done, 1 failed, 2 usage error, 3 not found, 4 not allowed, 5 conflict,
            124 timed out, 130 interrupted`;

/** What works on a store alone or over HTTP; the other packages add their own. */
const OWN: readonly AddCommand[] = [
  addWorker,
  addEnqueue,
  addJobs,
  addFailures,
  addDlq,
  addOperations,
  addQueues,
  addWorkers,
  addSchedules,
  addSlo,
  addHistory,
  addPast,
  addWhatIf,
  addWebhooks,
  addTypes,
  addLifecycle,
  addKeys,
  addCells,
  addMigrate,
  addDoctor,
  addBackup,
  addDrill,
  addCompletions,
];

/** The whole command line: our own commands, and those of the packages that are installed. */
export async function buildProgram(version: string): Promise<Command> {
  const program = new Command('pawl')
    .description('Durable jobs that only move forward.')
    .version(version)
    .option('--url <url>', `URL of the server (PAWL_URL; default: ${DEFAULT_URL})`)
    .option('--key <key>', 'an API key (PAWL_KEY, PAWL_KEY_FILE)')
    .option('--json', 'JSON output: one value per line')
    .addHelpText('after', EXAMPLES)
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .showHelpAfterError('Run it with --help to see its arguments and options.')
    .exitOverride();
  const { commands, missing } = await loadCommands();
  for (const add of [...commands, ...OWN]) add(program);
  for (const one of missing) addMissing(program, one);
  return program;
}
