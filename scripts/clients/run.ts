// Runs a program of another language to its end.
import { spawn } from 'node:child_process';
import { repositoryFolder } from '../run/repository.ts';

export interface Ran {
  readonly code: number | null;
  /** What it said, on both channels. */
  readonly output: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export function run(command: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const [program = '', ...args] = command;
  const { cwd = repositoryFolder, env } = options;
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => (output += text.toString()));
  }
  return new Promise((ended) => {
    child.once('error', (error) => ended({ code: null, output: error.message }));
    child.once('close', (code) => ended({ code, output }));
  });
}
