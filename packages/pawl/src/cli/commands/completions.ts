import type { Command } from 'commander';
import { UsageError } from '../exit-code.ts';

/** A command by its words, with what may follow. */
export interface Branch {
  readonly words: readonly string[];
  readonly next: readonly string[];
}

/** Every command of the program with its subcommands and options, from the program itself. */
export function branchesOf(command: Command, words: readonly string[] = []): Branch[] {
  const subcommands = command.commands.filter((one) => one.name() !== 'help');
  const options = command.options.map(({ long, short }) => long ?? short ?? '');
  const next = [...subcommands.map((one) => one.name()), ...options, '--help'];
  return [
    { words, next },
    ...subcommands.flatMap((one) => branchesOf(one, [...words, one.name()])),
  ];
}

function bash(branches: readonly Branch[]): string {
  const cases = branches.map(
    ({ words, next }) => `    "${words.join(' ')}") next="${next.join(' ')}" ;;`,
  );
  return `_pawl() {
  local path="" word next=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _pawl pawl`;
}

function zsh(branches: readonly Branch[]): string {
  return `#compdef pawl\nautoload -U +X bashcompinit && bashcompinit\n${bash(branches)}`;
}

function fish(branches: readonly Branch[]): string {
  const lines = branches.map(({ words, next }) => {
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
    const when = words.length === 0 ? '__fish_use_subcommand' : seen;
    return `complete -c pawl -f -n '${when}' -a '${next.join(' ')}'`;
  });
  return lines.join('\n');
}

const SHELLS: Readonly<Record<string, (branches: readonly Branch[]) => string>> = {
  bash,
  zsh,
  fish,
};

/** `pawl completions`. */
export function addCompletions(program: Command): void {
  program
    .command('completions <shell>')
    .description('completion for bash, zsh or fish')
    .addHelpText('after', '\nExample: source <(pawl completions bash)')
    .action((shell: string) => {
      const write = SHELLS[shell];
      if (write === undefined) throw new UsageError(`"${shell}" is not bash, zsh or fish`);
      process.stdout.write(`${write(branchesOf(program))}\n`);
    });
}
