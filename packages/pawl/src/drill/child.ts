import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const SILENCE_MS_MAX = 300_000;
const END_MS = 30_000;
const LINES_MAX = 30;

/** A process of a drill, by the lines that it writes. */
export class Child {
  readonly #name: string;
  readonly #process: ChildProcess;
  readonly #said: string[] = [];
  readonly #waiting: Set<() => void> = new Set();
  #last = '';
  #hasEnded = false;

  constructor(
    name: string,
    args: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
  ) {
    this.#name = name;
    this.#process = spawn(process.execPath, [...process.execArgv, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...env },
    });
    for (const input of [this.#process.stdout!, this.#process.stderr!]) {
      createInterface({ input }).on('line', (line) => this.#hear(line));
    }
    this.#process.once('exit', () => {
      this.#hasEnded = true;
      for (const wake of this.#waiting) wake();
    });
  }

  #hear(line: string): void {
    this.#last = line;
    this.#said.push(line);
    if (this.#said.length > LINES_MAX) this.#said.shift();
    for (const wake of this.#waiting) wake();
  }

  /** Resolves with the first line, from now on, that is wanted; fails if none comes. */
  async line(isWanted: (line: string) => boolean): Promise<string> {
    const next = Promise.withResolvers<string>();
    const look = (): void => {
      if (isWanted(this.#last)) next.resolve(this.#last);
      else if (this.#hasEnded) next.reject(this.#failure('has ended'));
    };
    this.#waiting.add(look);
    const timer = setTimeout(() => next.reject(this.#failure('is stuck')), SILENCE_MS_MAX);
    look();
    try {
      return await next.promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(look);
    }
  }

  #failure(what: string): Error {
    return new Error(`${this.#name} ${what}; it said last:\n${this.#said.join('\n')}`);
  }

  /** How many jobs it has done; 0 before the first. */
  get done(): number {
    return Number.parseInt(this.#last, 10) || 0;
  }

  async doMore(jobs: number): Promise<void> {
    const goal = this.done + jobs;
    await this.line((line) => Number.parseInt(line, 10) >= goal);
  }

  /** Its last line, after it was asked to end. */
  async finish(): Promise<string> {
    this.#process.stdin!.end();
    return this.line((line) => line.startsWith('{'));
  }

  async end(): Promise<void> {
    if (this.#hasEnded) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), END_MS);
    await ended;
    clearTimeout(timer);
  }
}
