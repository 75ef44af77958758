// The twelve programs of the guide, and how one is run: as its user would, and told to stop where
// it waits for that.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { childEnvironment } from '../../scripts/run/child-environment.ts';

export interface Program {
  /** Its heading in the guide. */
  readonly title: string;
  /** In examples/programs, and in this order in the guide. */
  readonly files: readonly string[];
  readonly says: readonly string[];
  /** What its twin needs. */
  readonly theirs: 'redis' | 'postgres';
  /** False for one whose point needs PostgreSQL: a test of its own says what SQLite does. */
  readonly isForSqlite?: boolean;
  /** Told to stop when it has said this. */
  readonly stopAt?: string;
}

const RESIZE = ['resize.ts', 'worker.ts', 'web.ts'].map((name) => `enqueue-only/${name}`);

export const PROGRAMS: readonly Program[] = [
  {
    title: 'Mail with retries',
    files: ['mail.ts'],
    says: ['sent to ada@example.com', 'ada is not an address'],
    theirs: 'redis',
  },
  {
    title: 'Cron',
    files: ['cron.ts'],
    says: ['next at 03:00:00', 'the sales of north'],
    theirs: 'redis',
  },
  {
    title: 'Unique jobs',
    files: ['unique.ts'],
    says: ['product 7 was written 1 time'],
    theirs: 'redis',
  },
  {
    title: 'A rate limit per customer',
    files: ['rate-limit.ts'],
    says: ['4 calls, the last was acme 3'],
    theirs: 'redis',
  },
  {
    title: 'A long job with checkpoints',
    files: ['checkpoint.ts'],
    says: ['imported 0, 1, 2, 3'],
    theirs: 'redis',
  },
  {
    title: 'Enqueue in a transaction',
    files: ['transaction.ts'],
    says: ['order 2 is on its way', '1 job was made'],
    theirs: 'postgres',
    isForSqlite: false,
  },
  {
    title: 'Only enqueue',
    files: RESIZE,
    says: ['working', '800-cat.png'],
    theirs: 'redis',
    isForSqlite: false,
    stopAt: 'working',
  },
  {
    title: 'A lifecycle of your own',
    files: ['lifecycle.ts'],
    says: ['"Ratchets" is in print', 'draft, approved, printing, published'],
    theirs: 'postgres',
  },
  {
    title: 'Errors of your own',
    files: ['errors.ts'],
    says: ['charged at attempt 2', 'CardDeclined (card_declined): ask the bank, attempts: 1'],
    theirs: 'redis',
  },
  {
    title: 'Tests of handlers',
    files: ['handler-tests.ts'],
    says: ['pass 1', 'fail 0'],
    theirs: 'redis',
  },
  {
    title: 'Graceful shutdown',
    files: ['shutdown.ts'],
    says: ['begun', 'encoded', 'stopped'],
    theirs: 'redis',
    stopAt: 'begun',
  },
  {
    title: 'Bulk enqueue',
    files: ['bulk.ts'],
    says: ['the sum of 1000 squares is 332833500'],
    theirs: 'redis',
  },
];

/** Where it is run, and by which hooks it finds its packages. */
export interface Place {
  /** With its files in it. */
  readonly folder: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly hooks: readonly string[];
}

const TIMEOUT_MS = 60_000;

/** What it said, line by line. Throws where a process of it did not end well. */
export async function saidBy(program: Program, place: Place): Promise<string[]> {
  const { files, stopAt } = program;
  const [main, worker] = files.toReversed();
  if (worker === undefined) return new Process(main!, place).run(stopAt);
  // The one that enqueues is run while the worker is there, which must be ready before it.
  const working = new Process(worker, place);
  const before = await working.until(stopAt!);
  const said = await new Process(main!, place).run().finally(() => working.stop());
  return [...before, ...said, ...(await working.run())];
}

class Process {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<unknown[]>;
  #complaints = '';

  constructor(file: string, { folder, cwd, env, hooks }: Place) {
    const args = [...hooks.flatMap((hook) => ['--import', hook]), join(folder, file)];
    const all = { ...childEnvironment, NO_COLOR: '1', ...env };
    this.#child = spawn(process.execPath, args, { cwd, env: all, timeout: TIMEOUT_MS });
    this.#ended = once(this.#child, 'exit');
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#complaints += text;
    });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  stop(): void {
    this.#child.kill('SIGTERM');
  }

  /** Reads up to a line, or to the end. */
  async until(last: string | null): Promise<string[]> {
    const lines: string[] = [];
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done === true) return lines;
      lines.push(value);
      if (value === last) return lines;
    }
  }

  async run(stopAt?: string): Promise<string[]> {
    const before = stopAt === undefined ? [] : await this.until(stopAt);
    if (stopAt !== undefined) this.stop();
    const lines = [...before, ...(await this.until(null))];
    const [code, signal] = await this.#ended;
    if (code === 0) return lines;
    const how = String(code ?? signal);
    throw new Error(`it ended with ${how}:\n${lines.join('\n')}\n${this.#complaints}`);
  }
}
