import type { Command } from 'commander';
import { resolveStoreSettings, storePath } from '../../settings/store-settings.ts';
import { UsageError } from '../exit-code.ts';
import { Screen } from '../terminal/screen.ts';

interface BackupOptions {
  readonly data?: string;
  readonly from?: string;
}

/** The database file that `pawl start` would use. */
async function ownDatabase(data: string | undefined): Promise<string> {
  const settings = await resolveStoreSettings(process.env);
  if (data === undefined && settings.databaseUrl !== null) {
    throw new UsageError('DATABASE_URL names PostgreSQL: back it up with pg_dump --schema=pawl');
  }
  if (data === undefined && settings.cells !== null) {
    throw new UsageError('PAWL_CELLS names several databases: back up each, a folder by --data');
  }
  return storePath({ dataFolder: data ?? settings.dataFolder });
}

/** `pawl backup`. */
export function addBackup(program: Command): void {
  program
    .command('backup <file>')
    .description('copy the embedded database, also while the platform runs')
    .option('--data <folder>', 'folder of the embedded store (PAWL_DATA; default: ./data)')
    .option('--from <database>', 'copy this file instead, such as a snapshot of the disk')
    .addHelpText(
      'after',
      '\nTo restore: put the file where pawl.db was, with nothing else named pawl.db-…, and start.',
    )
    .action(async (file: string, options: BackupOptions, command: Command) => {
      const from = options.from ?? (await ownDatabase(options.data));
      // SQLite is loaded by those who need it only.
      const { backupDatabase } = await import('../../store/sqlite/backup.ts');
      backupDatabase({ from, to: file });
      const isJson = command.optsWithGlobals<{ json?: boolean }>().json === true;
      const screen = new Screen({ isJson });
      if (isJson) screen.json({ from, file });
      else screen.data(`${from} is copied to ${file}`);
    });
}
