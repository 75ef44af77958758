import type { Command } from 'commander';
import type { Resolved } from 'pawl/internal/settings/resolve-settings';
import { Screen } from 'pawl/internal/cli/terminal/screen';
import { type Column, tableLines } from 'pawl/internal/cli/terminal/table';

/** What may be shown of a value: of a secret, that it is there. */
export function shownValue({ setting, value }: Resolved): string | null {
  return setting.isSecret === true && value !== null ? '••••••' : value;
}

const COLUMNS: readonly Column<Resolved>[] = [
  { title: 'SETTING', text: ({ setting }) => setting.name },
  { title: 'VALUE', text: shownValue },
  { title: 'FROM', text: ({ from }) => from },
  { title: 'MEANS', text: ({ setting }) => setting.sentence },
];

/** `pawl config`. */
export function addConfig(program: Command): void {
  program
    .command('config')
    .description('list every setting: its value for "pawl start", and its source')
    .addHelpText(
      'after',
      '\nFlags go before the environment, that before the file (pawl.json or PAWL_CONFIG), that' +
        '\nbefore pawl.config.ts, that before defaults. Secrets can be given as files:' +
        '\nDATABASE_URL_FILE=/run/secrets/url.',
    )
    .action(async (_options: object, command: Command) => {
      const isJson = command.optsWithGlobals<{ json?: boolean }>().json === true;
      const screen = new Screen({ isJson });
      // The platform is large; the other commands need none of it.
      const { compose } = await import('../app/composed.ts');
      const { resolved } = await compose({ env: process.env });
      if (!isJson) for (const line of tableLines(screen, COLUMNS, resolved)) screen.data(line);
      else {
        for (const one of resolved) {
          const { setting, source, from } = one;
          screen.json({ name: setting.name, value: shownValue(one), source, from });
        }
      }
    });
}
