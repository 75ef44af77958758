import type { Command } from 'commander';
import { Screen } from '../terminal/screen.ts';

/** `pawl migrate`. */
export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('migrate the database schema; processes may keep running')
    .option('--check', 'change nothing: fail if a migration is pending')
    .addHelpText('after', '\nExample: DATABASE_URL=postgres://… pawl migrate --check')
    .action(async (options: { check?: boolean }) => {
      // The stores are large; the other commands need nothing of them.
      const { migrateStore } = await import('../migrate-store.ts');
      const storeName = await migrateStore(process.env, options.check === true);
      new Screen({ isJson: false }).talk(`${storeName}: the schema is up to date`);
    });
}
