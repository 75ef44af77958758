import type { Command } from 'commander';
import type { AddCommand } from '../plugin/plugin.ts';
import { loadConfig } from '../settings/config-file.ts';
import { importInstalled } from '../settings/import-installed.ts';
import { UsageError } from './exit-code.ts';

/** What a package exports under `/commands`. */
export interface CommandModule {
  readonly commands: readonly AddCommand[];
}

/** A package that brings further commands, and what to say of those without it. */
export interface CommandPackage {
  readonly name: string;
  readonly commands: Readonly<Record<string, string>>;
}

const PACKAGES: readonly CommandPackage[] = [
  {
    name: '@pawl/server',
    commands: {
      start: 'run the platform: API, dashboard, workers',
      dev: 'run the platform of pawl.config.ts, and restart it when a source changes',
      demo: 'a demonstration, in half a minute',
      config: 'every setting, its value and where it comes from',
    },
  },
  { name: '@pawl/studio', commands: { bench: 'measure the built-in job types' } },
  { name: '@pawl/move', commands: { move: 'import jobs from another queue' } },
];

/** The commands of the packages that are installed, and the packages that are not. */
export async function loadCommands(
  packages: readonly CommandPackage[] = PACKAGES,
): Promise<{ commands: readonly AddCommand[]; missing: readonly CommandPackage[] }> {
  const commands: AddCommand[] = [];
  const missing: CommandPackage[] = [];
  for (const one of packages) {
    const module = await importInstalled<CommandModule>(`${one.name}/commands`);
    if (module === null) missing.push(one);
    else commands.push(...module.commands);
  }
  return { commands, missing };
}

/** The commands of the plug-ins that `pawl.config.ts` names. */
export async function configuredCommands(): Promise<readonly AddCommand[]> {
  const loaded = await loadConfig('.');
  return loaded?.config.plugins?.flatMap(({ commands = [] }) => commands) ?? [];
}

/** Commands that say how to install the package that they belong to. */
export function addMissing(program: Command, { name, commands }: CommandPackage): void {
  for (const [word, description] of Object.entries(commands)) {
    program
      .command(word)
      .description(`${description} (needs ${name})`)
      .allowUnknownOption()
      .argument('[words...]')
      .action(() => {
        throw new UsageError(`"pawl ${word}" is part of ${name}: npm install ${name}`);
      });
  }
}
