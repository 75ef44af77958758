import type { Command } from 'commander';
import { ExitError } from 'pawl/internal/cli/exit-code';

interface StartOptions {
  readonly port?: string;
  readonly host?: string;
  readonly data?: string;
  readonly jobs?: string;
  readonly role?: string;
}

/** Which setting each flag stands for: a flag goes before the environment. */
const SETTINGS: Readonly<Record<keyof StartOptions, string>> = {
  port: 'PORT',
  host: 'HOST',
  data: 'PAWL_DATA',
  jobs: 'PAWL_JOBS',
  role: 'PAWL_ROLES',
};

/** Flags by the names of their settings. */
function flagsOf(options: StartOptions): Record<string, string> {
  const given = Object.entries(options) as [keyof StartOptions, string][];
  return Object.fromEntries(given.map(([flag, text]) => [SETTINGS[flag], text]));
}

/** `pawl start`. */
export function addStart(program: Command): void {
  program
    .command('start')
    .description('run the platform: API, sweeps and workers, until Ctrl-C')
    .option('--port <port>', 'port of the API (PORT; default: 8080)')
    .option('--host <host>', 'address to listen on (HOST; default: 127.0.0.1)')
    .option('--data <folder>', 'folder of the embedded store (PAWL_DATA; default: ./data)')
    .option('--jobs <module>', 'a module that exports jobs (PAWL_JOBS)')
    .option('--role <roles>', 'comma-separated: api, worker, sweeper; default: all (PAWL_ROLES)')
    .addHelpText('after', '\nPostgreSQL: DATABASE_URL=postgres://… pawl start')
    .action(async (_options: StartOptions, command: Command) => {
      // The platform is large; the other commands need none of it.
      const { start } = await import('./start.ts');
      const code = await start(process.env, {
        flags: flagsOf(command.opts<StartOptions>()),
      });
      if (code !== 0) throw new ExitError(code, '');
    });
}
