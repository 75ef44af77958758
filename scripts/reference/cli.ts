import type { Command, Option } from 'commander';
import { EXIT } from 'pawl/internal/cli/exit-code';
import { buildProgram } from 'pawl/internal/cli/program';
import { code, madeOf, table } from './table.ts';

const HEAD = `\
Commands that ask a server find it by \`--url\` or \`PAWL_URL\` (default:
\`http://127.0.0.1:8080\`) and send the credential given with \`--key\`, \`PAWL_KEY\` or
\`PAWL_KEY_FILE\`. With \`--json\` every command prints one JSON value per line.`;

function optionRow({ flags, description, defaultValue }: Option): string[] {
  const fallback = typeof defaultValue === 'string' ? ` (default: ${defaultValue})` : '';
  return [code(flags), `${description}${fallback}`];
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

function argumentsOf({ registeredArguments }: Command): string {
  return registeredArguments
    .map((one) => {
      const name = `${one.name()}${one.variadic ? '...' : ''}`;
      return one.required ? ` <${name}>` : ` [${name}]`;
    })
    .join('');
}

/** A command that only groups others is told by its parts. */
function section(command: Command): string[] {
  const own = command.options.length === 0 ? [] : optionTable(command);
  const parts = command.commands.flatMap(section);
  const depth = command.parent?.parent === null ? '##' : '###';
  const heading = `${depth} ${nameOf(command)}${argumentsOf(command)}`;
  return [heading, '', sentence(command.description()), '', ...own, ...parts];
}

function optionTable({ options }: Command): string[] {
  return [...table(['option', 'means'], options.map(optionRow)), ''];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** docs/reference/cli.md, whole. */
export async function cliPage(): Promise<string> {
  const program = await buildProgram('');
  const exits = Object.entries(EXIT).map(([name, value]) => [
    String(value),
    name.replaceAll(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`),
  ]);
  return [
    '# Command line',
    '',
    madeOf('the program itself (`packages/pawl/src/cli/program.ts`)'),
    '',
    HEAD,
    '',
    ...optionTable(program),
    ...program.commands.flatMap(section),
    '## Exit codes',
    '',
    ...table(['code', 'means'], exits),
    '',
  ].join('\n');
}
