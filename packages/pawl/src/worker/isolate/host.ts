import { type ChildProcess, fork } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import type { Failure } from '../../core/decision.ts';
import type { Isolated } from '../../handler/isolation.ts';
import { failureOf } from '../../handler/thrown-error.ts';
import type { FromChild, ToChild } from './protocol.ts';

/** What a host tells whoever uses it. */
export interface HostListener {
  message(message: FromChild): void;
  /** It is gone, and this is why. */
  gone(failure: Failure): void;
}

/** A thread or process in which handlers run, one at a time. */
export interface Host {
  listener: HostListener;
  say(message: ToChild): void;
  /** While it works it keeps this process alive; at rest it does not. */
  hold(): void;
  rest(): void;
  kill(): Promise<void>;
}

/** A built file has its imports rewritten by the compiler, but not this one. */
const childFile = new URL(
  import.meta.url.endsWith('.ts') ? './child.ts' : './child.js',
  import.meta.url,
);

const nobody: HostListener = { message: () => undefined, gone: () => undefined };

export function openHost(isolation: Isolated): Host {
  const { kind, memoryMb } = isolation;
  return kind === 'thread' ? new ThreadHost(memoryMb) : new ProcessHost(memoryMb);
}

function crash(message: string, code: string | null): Failure {
  return { class: 'handler_crashed', message, code };
}

function tooMuchMemory(where: string): Failure {
  const message = `the ${where} of the handler ran out of memory`;
  return { class: 'resource_limit_exceeded', message, code: 'OUT_OF_MEMORY' };
}

class ThreadHost implements Host {
  listener: HostListener = nobody;
  readonly #worker: Worker;
  #error: (Error & { code?: string }) | null = null;

  constructor(memoryMb: number | undefined) {
    this.#worker = new Worker(childFile, {
      name: 'pawl handler',
      execArgv: [],
      ...(memoryMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: memoryMb } }),
    });
    this.#worker.on('message', (message: FromChild) => this.listener.message(message));
    this.#worker.on('error', (error: Error) => (this.#error = error));
    this.#worker.on('exit', (code) => this.listener.gone(this.#failure(code)));
  }

  say(message: ToChild): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    this.#worker.postMessage(message);
  }

  hold(): void {
    this.#worker.ref();
  }

  rest(): void {
    this.#worker.unref();
  }

  async kill(): Promise<void> {
    await this.#worker.terminate();
  }

  #failure(code: number): Failure {
    if (this.#error === null) {
      return crash(`the thread of the handler ended with exit code ${code}`, `EXIT_${code}`);
    }
    if (this.#error.code === 'ERR_WORKER_OUT_OF_MEMORY') return tooMuchMemory('thread');
    const { message, stack } = failureOf(this.#error, null);
    const told = crash(`the thread of the handler broke: ${message}`, 'UNCAUGHT');
    return stack === undefined ? told : { ...told, stack };
  }
}

const STDERR_KEPT = 4_096;

class ProcessHost implements Host {
  listener: HostListener = nobody;
  readonly #child: ChildProcess;
  readonly #ended = Promise.withResolvers<void>();
  #stderr = '';

  constructor(memoryMb: number | undefined) {
    const limit = memoryMb === undefined ? [] : [`--max-old-space-size=${memoryMb}`];
    const stdio = ['ignore', 'inherit', 'pipe', 'ipc'] as const;
    this.#child = fork(childFile, [], {
      execArgv: limit,
      // Not JSON: bytes of artifacts travel as they are.
      serialization: 'advanced',
      stdio: [...stdio],
    });
    this.#child.on('message', (message) => this.listener.message(message as FromChild));
    this.#child.on('error', (error) => this.#gone(crash(String(error), null)));
    // Not `exit`: what it wrote to its standard error last says whether it ran out of memory.
    this.#child.on('close', (code, signal) => this.#gone(this.#failure(code, signal)));
    this.#child.stderr!.on('data', (text: Buffer) => {
      process.stderr.write(text);
      this.#stderr = (this.#stderr + text.toString()).slice(-STDERR_KEPT);
    });
  }

  say(message: ToChild): void {
    // A process that has just died says so itself.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  hold(): void {
    this.#child.ref();
    this.#child.channel?.ref();
  }

  rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
    (this.#child.stderr as { unref?(): void } | null)?.unref?.();
  }

  kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    return this.#ended.promise;
  }

  #gone(failure: Failure): void {
    this.listener.gone(failure);
    this.#ended.resolve();
  }

  #failure(code: number | null, signal: NodeJS.Signals | null): Failure {
    if (this.#stderr.includes('heap out of memory')) return tooMuchMemory('process');
    const how = signal === null ? `exit code ${code}` : signal;
    const word = signal ?? `EXIT_${code}`;
    return crash(`the process of the handler ended with ${how}`, word);
  }
}
