// The checks that read the code without running it, in the order of their price.
import { type CommandResult, runTool } from './command.ts';

export interface Gate {
  name: string;
  run(signal: AbortSignal): Promise<CommandResult>;
}

export const gates: readonly Gate[] = [
  gate('format', 'oxfmt', ['--check', '.']),
  gate('lint', 'oxlint', ['--type-aware', '--deny-warnings', '--no-error-on-unmatched-pattern']),
  gate('types', 'tsc', ['--project', 'tsconfig.json']),
  gate('library types', 'tsc', ['--project', 'packages/pawl/test/tx/tsconfig.json']),
  gate('dashboard types', 'tsc', ['--project', 'packages/dashboard/tsconfig.json']),
  gate('dead code', 'knip', ['--no-progress', '--no-config-hints']),
];

function gate(name: string, tool: string, args: string[]): Gate {
  return { name, run: (signal) => runTool(tool, args, signal) };
}
