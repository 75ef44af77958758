import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ExitError } from 'pawl/internal/cli/exit-code';

/** Beside this file: a source in the repository, plain JavaScript in the package. */
const JOBS = fileURLToPath(
  new URL(`demo-jobs${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
);
const PATIENCE_MS = 60_000;

/** The port if nobody has it, else any that is free. */
export async function freePort(wanted: number): Promise<number> {
  for (const port of [wanted, 0]) {
    const server = createServer();
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
      return (server.address() as { port: number }).port;
    } catch {
      // Somebody has it.
    } finally {
      server.close();
    }
  }
  throw new ExitError(1, 'no port is free on this machine');
}

/** A platform in a process of its own, so that it can be killed and started again. */
export class DemoServer {
  readonly url: string;
  readonly #words: readonly string[];
  #child: ChildProcess | null = null;

  constructor({ port, data }: { readonly port: number; readonly data: string }) {
    this.url = `http://127.0.0.1:${port}`;
    this.#words = ['start', '--port', String(port), '--data', data, '--jobs', JOBS];
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves when it says that it listens. */
  async start(): Promise<void> {
    const [program = ''] = process.argv.slice(1);
    const { DATABASE_URL: _, PAWL_AUTH: __, ...env } = process.env;
    const child = spawn(process.execPath, [...process.execArgv, program, ...this.#words], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...env, PAWL_BUILTIN: 'off' },
    });
    this.#child = child;
    let said = '';
    child.stderr!.on('data', (piece: Buffer) => (said += String(piece)));
    const tooLate = AbortSignal.timeout(PATIENCE_MS);
    const isListening = once(child, 'message', { signal: tooLate }).then(() => true);
    const isOver = once(child, 'exit', { signal: tooLate }).then(() => false);
    const hasStarted = await Promise.race([isListening, isOver]).catch(() => false);
    isListening.catch(() => undefined);
    isOver.catch(() => undefined);
    if (!hasStarted) throw new ExitError(1, `the server of the demo did not start:\n${said}`);
  }

  /** Ends it as power loss does: it cannot finish anything. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}
