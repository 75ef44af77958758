import type { Command } from 'commander';
import { UsageError } from '../exit-code.ts';
import { loadConfig } from '../../settings/config-file.ts';
import { type Given, onServer, type Session } from '../session.ts';

interface WorkerOptions {
  readonly jobs?: string;
  readonly slots: string;
  readonly queues?: string;
}

async function runWorker(session: Session, { options }: Given<WorkerOptions>): Promise<void> {
  const module = options.jobs ?? process.env['PAWL_JOBS'];
  const loaded = module === undefined ? await loadConfig('.') : null;
  if (module === undefined && loaded === null) {
    throw new UsageError('--jobs names the module that exports your jobs, or write pawl.config.ts');
  }
  const slots = Number(options.slots);
  if (!Number.isInteger(slots) || slots < 1) throw new UsageError('--slots takes a whole number');
  // Workers are large; the other commands need nothing of them.
  const { work } = await import('../work.ts');
  await work(session, {
    module,
    jobs: loaded?.config.jobs ?? [],
    slots,
    queues: options.queues?.split(',') ?? null,
  });
}

/** `pawl worker`: handlers of yours, attached to a server over HTTP. */
export function addWorker(program: Command): void {
  program
    .command('worker')
    .description('run your jobs in this process, for a server over HTTP')
    .option('--jobs <module>', 'the module that exports your jobs (PAWL_JOBS)')
    .option('--slots <count>', 'number of jobs run at once', '16')
    .option('--queues <names>', 'only these queues, comma-separated')
    .addHelpText('after', '\nExample: pawl worker --jobs ./jobs.ts --url http://pawl.internal:8080')
    .action(onServer(runWorker));
}
