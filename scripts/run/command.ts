// Runs a tool of this repository and keeps what it prints.
import { spawn } from 'node:child_process';
import { inRepository, repositoryFolder } from './repository.ts';

export interface CommandResult {
  isGood: boolean;
  output: string;
}

/** Runs `node_modules/.bin/<tool>`; an aborted signal ends it. */
export function runTool(tool: string, args: string[], signal: AbortSignal): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(inRepository('node_modules', '.bin', tool), args, {
      cwd: repositoryFolder,
      signal,
      env: process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    let output = '';
    const keep = (text: string): void => void (output += text);
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.once('error', (error) =>
      resolve({ isGood: false, output: `${output}${error.message}\n` }),
    );
    child.once('close', (code) => resolve({ isGood: code === 0, output }));
  });
}
