import type { Command } from 'commander';
import type { AddCommand } from '../plugin/plugin.ts';
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
      demo: 'show what it does, in half a minute',
      config: 'every setting, its value and where it comes from',
    },
  },
  { name: '@pawl/studio', commands: { bench: 'measure the built-in job types' } },
  { name: '@pawl/move', commands: { move: 'move jobs out of another queue' } },
];

/** The commands of the packages that are installed, and the packages that are not. */
export async function loadCommands(
  packages: readonly CommandPackage[] = PACKAGES,
): Promise<{ commands: readonly AddCommand[]; missing: readonly CommandPackage[] }> {
  const loaded = await Promise.all(packages.map((one) => loadModule(`${one.name}/commands`)));
  return {
    commands: loaded.flatMap((module) => module?.commands ?? []),
    missing: packages.filter((_, index) => loaded[index] === null),
  };
}

/** Null: the package is not installed. */
async function loadModule(specifier: string): Promise<CommandModule | null> {
  try {
    return (await import(specifier)) as CommandModule;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isMissing = message.startsWith(
      `Cannot find package '${specifier.replace('/commands', '')}'`,
    );
    if (code === 'ERR_MODULE_NOT_FOUND' && isMissing) return null;
    throw error;
  }
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
