#!/usr/bin/env node
import { type Command, CommanderError } from 'commander';
import { nodeFault } from '../worker/node-version.ts';
import { ownVersion } from '../worker/version.ts';
import { EXIT, exitCodeOf, explain, UsageError } from './exit-code.ts';
import { configuredCommands } from './packages.ts';
import { buildProgram } from './program.ts';
import { type GlobalOptions, urlOf } from './session.ts';

/** Runs one command and answers with its exit code. */
async function main(words: readonly string[]): Promise<number> {
  let program: Command | null = null;
  try {
    const fault = nodeFault();
    if (fault !== null) throw new UsageError(fault);
    program = await buildProgram(ownVersion);
    if (!isKnown(program, words)) for (const add of await configuredCommands()) add(program);
    if (words.length === 0) program.help();
    await program.parseAsync(words, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    // Commander has told the user already; only help and the version end well.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const text = error instanceof UsageError ? error.message : explain(error, whereOf(program));
    if (text !== '') process.stderr.write(`pawl: ${text}\n`);
    return exitCodeOf(error);
  }
}

/** A configuration, with all that it imports, is loaded for commands that only it can have. */
function isKnown({ commands }: Command, words: readonly string[]): boolean {
  const word = words.find((one) => !one.startsWith('-'));
  return word !== undefined && commands.some((one) => one.name() === word);
}

function whereOf(program: Command | null): string {
  try {
    return urlOf(program?.opts<GlobalOptions>() ?? {}, process.env);
  } catch {
    return 'the server';
  }
}

// A reader such as `head` that has had enough is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  throw error;
});

process.exitCode = await main(process.argv.slice(2));
