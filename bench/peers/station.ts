import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Place } from './product.ts';
import type { Message, Question, Verbs } from './wire.ts';

/** Kept between processes, lest each carry the compiler that takes the benchmark's types away. */
const STRIPPED = join(tmpdir(), `pawl-bench-${process.pid}`);
process.on('exit', () => rmSync(STRIPPED, { recursive: true, force: true }));

const CHILD = fileURLToPath(new URL('child.ts', import.meta.url));
/** How long a product may take to stop by itself. */
const CLOSE_MS_MAX = 4_000;

type Given<Verb extends keyof Verbs> = Parameters<Verbs[Verb]>[0];
type Answer<Verb extends keyof Verbs> = Awaited<ReturnType<Verbs[Verb]>>;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

function forked({ node }: Place): ChildProcess {
  const env = { ...process.env, NODE_COMPILE_CACHE: STRIPPED };
  return fork(CHILD, { env, execArgv: ['--no-warnings', ...node] });
}

/** A process of the benchmark, seen from the one that conducts it. */
export class Station {
  readonly #child: ChildProcess;
  readonly #waiting: Map<number, Waiting> = new Map();
  #questions = 0;
  /** Jobs that its handler was called for, as far as it has told. */
  handled = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (message) => this.#hear(message as Message));
    child.on('exit', (code, signal) => {
      const error = new Error(`a process of the benchmark ended (${signal ?? code})`);
      for (const waiting of this.#waiting.values()) waiting.reject(error);
      this.#waiting.clear();
    });
  }

  static async open(place: Place): Promise<Station> {
    const station = new Station(forked(place));
    try {
      await station.ask('open', place);
      return station;
    } catch (error) {
      await station.close();
      throw error;
    }
  }

  ask<Verb extends keyof Verbs>(verb: Verb, given: Given<Verb>): Promise<Answer<Verb>> {
    const id = this.#questions++;
    const question: Question = { id, verb, given };
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send(question, (error) => {
        if (error !== null) reject(error);
      });
    }) as Promise<Answer<Verb>>;
  }

  #hear(message: Message): void {
    if (message.kind === 'handled') {
      this.handled = message.count;
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === 'answer') waiting?.resolve(message.value);
    else waiting?.reject(new Error(message.message));
  }

  /** Lets the product stop by itself for a while, then ends the process. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_MS_MAX);
    await this.ask('close', undefined).catch(() => undefined);
    if (child.connected) child.disconnect();
    await exited;
    clearTimeout(timer);
  }
}
