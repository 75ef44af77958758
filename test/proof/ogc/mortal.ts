import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a process tells of itself, a line each. */
export interface Standing {
  readonly open: number;
  readonly rssMb: number;
  /** What of it are objects of JavaScript, and what are buffers beside them. */
  readonly heapMb?: number;
  readonly buffersMb?: number;
  readonly ended?: Readonly<Record<string, number>>;
  readonly url?: string;
}

/** The most memory that was seen, and what went on then. */
interface Peak {
  readonly moment: string;
  readonly standing: Standing;
}

/** As docs/guides/operate/capacity.md has it for a gateway. */
const HEAP = ['--max-semi-space-size=4', '--max-old-space-size=512'];

/**
 * Runs a program once to its end and keeps what was compiled: otherwise each process would also
 * hold the compiler that takes the types away, once a thread, which no user has.
 */
export async function warmUp(
  program: URL,
  folder: string,
  args: readonly string[],
): Promise<NodeJS.ProcessEnv> {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') };
  const child = spawn(process.execPath, [fileURLToPath(program), ...args], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'exit');
  return env;
}

/** A process that is started, killed and started again. */
export class Mortal {
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | null = null;
  kills = 0;
  last: Standing | null = null;
  peak: Peak | null = null;
  /** What goes on in the whole at this time. */
  moment = '';

  constructor(program: URL, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
    this.#program = fileURLToPath(program);
    this.#args = args;
    this.#env = env;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [...HEAP, this.#program, ...this.#args], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    this.last = null;
    const ready = Promise.withResolvers<void>();
    let rest = '';
    child.stdout.on('data', (bytes: Buffer) => {
      const lines = (rest + bytes.toString()).split('\n');
      rest = lines.pop()!;
      for (const line of lines)
        if (line === 'ready') ready.resolve();
        else this.#note(JSON.parse(line) as Standing);
    });
    const onExit = (): void => ready.reject(new Error(`${this.#program} ended by itself`));
    child.once('exit', onExit);
    await ready.promise;
    child.off('exit', onExit);
  }

  #note(standing: Standing): void {
    this.last = standing;
    if (standing.rssMb > (this.peak?.standing.rssMb ?? 0)) {
      this.peak = { moment: this.moment, standing };
    }
  }

  async kill(): Promise<void> {
    const child = this.#child!;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    this.kills += 1;
  }
}
