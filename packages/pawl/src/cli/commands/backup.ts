import { join } from 'node:path';
import type { Command } from 'commander';
import { resolveSettings } from '../../settings/resolve-settings.ts';
import { UsageError } from '../exit-code.ts';
import { Screen } from '../terminal/screen.ts';

interface BackupOptions {
  readonly data?: string;
  readonly from?: string;
}

/** The database file that `pawl start` would use. */
function ownDatabase(data: string | undefined): string {
  const settings = new Map(
    resolveSettings({ env: process.env }).map(({ setting, value }) => [setting.name, value]),
  );
  if (data === undefined && settings.get('DATABASE_URL') !== null) {
    throw new UsageError('DATABASE_URL names PostgreSQL: back it up with pg_dump --schema=pawl');
  }
  return join(data ?? settings.get('PAWL_DATA') ?? 'data', 'pawl.db');
}

/** `pawl backup`. */
export function addBackup(program: Command): void {
  program
    .command('backup <file>')
    .description('copy the embedded database, also while the platform runs')
    .option('--data <folder>', 'of the embedded store (PAWL_DATA; ./data)')
    .option('--from <database>', 'another file, such as a copy made by other means')
    .addHelpText(
      'after',
      '\nTo restore: put the file where pawl.db was, with nothing else named pawl.db-…, and start.',
    )
    .action(async (file: string, options: BackupOptions, command: Command) => {
      const from = options.from ?? ownDatabase(options.data);
      // SQLite is loaded by those who need it only.
      const { backupDatabase } = await import('../../store/sqlite/backup.ts');
      backupDatabase({ from, to: file });
      const isJson = command.optsWithGlobals<{ json?: boolean }>().json === true;
      const screen = new Screen({ isJson });
      if (isJson) screen.json({ from, file });
      else screen.data(`${from} is copied to ${file}`);
    });
}
