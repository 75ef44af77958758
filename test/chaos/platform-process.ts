// A process of the platform, started just as a user does it, that can be stopped and started anew.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../packages/pawl/src/cli/main.ts', import.meta.url));

export interface PlatformProcessOptions {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export class PlatformProcess {
  readonly #options: PlatformProcessOptions;
  readonly #said: string[] = [];
  #child: ChildProcess | null = null;

  constructor(options: PlatformProcessOptions) {
    this.#options = options;
  }

  /** Of the process that runs; 0 where none does. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** All lines that it wrote, to its output and its errors. */
  get said(): readonly string[] {
    return this.#said;
  }

  /** Resolves when it says that it is running. */
  async start(): Promise<void> {
    const { flags, env } = this.#options;
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
    const child = spawn(process.execPath, [program, 'start', ...flags], {
      env: { ...inherited, ...env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const isRunning = new Promise<void>((resolve) => {
      for (const input of [child.stdout, child.stderr]) {
        createInterface({ input }).on('line', (line) => {
          this.#said.push(line);
          if (line.includes('Pawl is running')) resolve();
        });
      }
    });
    const exited = once(child, 'exit').then(() => {
      throw new Error(`it ended before it was running: ${this.#said.join('\n')}`);
    });
    await Promise.race([isRunning, exited]);
    exited.catch(() => undefined);
  }

  /** Stops it where it stands, or lets it go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal);
  }

  /** Ends it and answers with its exit code; null for one that was killed. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const child = this.#child;
    if (child === null) return null;
    this.#child = null;
    if (child.exitCode !== null) return child.exitCode;
    const exited = once(child, 'exit') as Promise<[number | null]>;
    child.kill(signal);
    const [code] = await exited;
    return code;
  }
}
