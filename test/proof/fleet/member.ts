// A process of the fleet under a supervisor: started again when it ends, and what it did is noted.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { systemTimers } from 'pawl/internal/core/timers';

export interface MemberOptions {
  readonly name: string;
  /** Asked at each start, since the release may be another one then. */
  readonly command: () => readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The line by which it says that it is running. */
  readonly isReady: (line: string) => boolean;
  /** Whether it is a fault of ours if it ends by itself; always, unless told otherwise. */
  readonly isJudged?: () => boolean;
  /** Is told every line that it writes. */
  readonly onLine?: (line: string) => void;
}

const LINES_MAX = 60;
/** A machine that does much else needs minutes for what usually takes seconds. */
const START_MS = 300_000;
const TERM_MS = 45_000;
const PAUSE_MS = 200;
const never = new AbortController().signal;

/** So that nothing outlives whoever started it, however that one ends. */
const LEASH: readonly string[] = ['setpriv', '--pdeathsig', 'KILL', '--'];
export const leash: readonly string[] =
  spawnSync(LEASH[0]!, [...LEASH.slice(1), 'true']).status === 0 ? LEASH : [];

export class Member {
  readonly name: string;
  /** It ended although nobody had asked it to. */
  readonly faults: string[] = [];
  /** Faults of its disk may end it. */
  mayEnd = false;
  /** How often it did not stop in time when asked. */
  stubborn = 0;
  starts = 0;
  readonly said: string[] = [];
  readonly #options: MemberOptions;
  #child: ChildProcess | null = null;
  #isWanted = false;
  #starting: Promise<void> | null = null;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.name = options.name;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isUp(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves when it runs. What it needs may be away meanwhile, so it is tried until it does. */
  async start(): Promise<void> {
    this.#isWanted = true;
    // Its supervisor and whoever torments it may want the same.
    this.#starting ??= this.#keepStarting().finally(() => (this.#starting = null));
    await this.#starting;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  kill(): Promise<void> {
    return this.#stop(async (child, gone) => {
      child.kill('SIGKILL');
      await gone;
    });
  }

  /** As one asks a process to end; one that does not is killed after a while. */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGQUIT' = 'SIGTERM'): Promise<void> {
    return this.#stop(async (child, gone) => {
      child.kill(signal);
      if ((await within(TERM_MS, gone)) !== null) return;
      this.stubborn += 1;
      child.kill('SIGKILL');
      await gone;
    });
  }

  async #stop(how: (child: ChildProcess, gone: Promise<unknown>) => Promise<void>): Promise<void> {
    this.#isWanted = false;
    const child = this.#child;
    if (child !== null && this.isUp) {
      await how(child, once(child, 'exit'));
      letGo(child);
    }
    await this.#starting;
  }

  async #keepStarting(): Promise<void> {
    while (this.#isWanted && !this.isUp && !(await this.#startOnce())) {
      await systemTimers.sleep(PAUSE_MS, never);
    }
  }

  async #startOnce(): Promise<boolean> {
    const [program = '', ...args] = [...leash, ...this.#options.command()];
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
    const child = spawn(program, args, {
      env: { ...inherited, ...this.#options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.starts += 1;
    const ready = Promise.withResolvers<'ready'>();
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        this.said.push(line);
        this.#options.onLine?.(line);
        if (this.said.length > LINES_MAX) this.said.shift();
        if (this.#options.isReady(line)) ready.resolve('ready');
      });
    }
    const gone = once(child, 'exit').then(() => 'gone' as const);
    const outcome = await within(START_MS, Promise.race([ready.promise, gone]));
    if (outcome === 'ready') void gone.then(() => this.#watch(child));
    if (outcome === null) {
      child.kill('SIGKILL');
      await gone;
    }
    return outcome === 'ready';
  }

  /** Like any supervisor: what ends by itself is started again, and told. */
  #watch(child: ChildProcess): void {
    if (!this.#isWanted || this.#child !== child) return;
    if (!this.mayEnd && this.#options.isJudged?.() !== false) {
      const how = child.exitCode ?? child.signalCode;
      this.faults.push(
        `${this.name} ended by itself (${how}): ${this.said.slice(-30).join(' | ')}`,
      );
    }
    void this.start();
  }
}

/** Children of it may hold on to its output, and would hold us. */
function letGo({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy();
  stderr?.destroy();
}

/** Null when it takes longer. */
async function within<Answer>(ms: number, answer: Promise<Answer>): Promise<Answer | null> {
  const over = new AbortController();
  try {
    return await Promise.race([answer, systemTimers.sleep(ms, over.signal).then(() => null)]);
  } finally {
    over.abort();
  }
}
