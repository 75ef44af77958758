// `npm run release -- <command>`: prepares a version, prints its notes, and checks what was packed.
//   prepare 0.2.0   the version of every package, and its section in CHANGELOG.md
//   notes 0.2.0     what CHANGELOG.md says of it, for the page of the release
//   check <folder>  every tarball of the folder, installed and used in an empty project
import { checkPacked } from './release/check-packed.ts';
import { notesOf } from './release/notes.ts';
import { prepare } from './release/prepare.ts';

const COMMANDS: Readonly<Record<string, (word: string) => Promise<string> | string>> = {
  prepare,
  notes: notesOf,
  check: checkPacked,
};

const [command = '', word = ''] = process.argv.slice(2);
const run = COMMANDS[command];
try {
  if (run === undefined || word === '') {
    throw new Error('give "prepare <version>", "notes <version>" or "check <folder>"');
  }
  process.stdout.write(`${(await run(word)).trimEnd()}\n`);
} catch (error) {
  process.stderr.write(`release: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
