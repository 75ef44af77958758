// Worker processes that can be listened to, stopped, continued and killed.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface WorkerProcess {
  readonly pid: number;
  /** Resolves with the first line, also one from before, that begins so. */
  said(beginning: string): Promise<string>;
  tell(line: string): void;
  signal(signal: NodeJS.Signals): void;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export async function startWorkerProcess(
  database: string,
  name: string,
  ...flags: readonly string[]
): Promise<WorkerProcess> {
  const program = fileURLToPath(new URL('worker-process.ts', import.meta.url));
  // Little memory, so that a handler that eats all of it is done soon.
  const args = ['--max-old-space-size=160', program, database, name, ...flags];
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  let listeners: (() => void)[] = [];
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('exit', (code, signal) => resolve({ code, signal }));
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const listener of listeners) listener();
  });
  const said = (beginning: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const line = lines.find((one) => one.startsWith(beginning));
        if (line === undefined) return;
        listeners = listeners.filter((one) => one !== look);
        resolve(line);
      };
      listeners.push(look);
      look();
      const unsaid = `${name} ended without saying "${beginning}"`;
      void exited
        .then(look)
        .finally(() => reject(new Error(`${unsaid}, but:\n${lines.join('\n')}`)));
    });
  const worker = {
    pid: child.pid!,
    said,
    tell: (line: string): void => void child.stdin.write(`${line}\n`),
    signal: (signal: NodeJS.Signals): void => void child.kill(signal),
    exited,
  };
  await said('ready');
  return worker;
}
