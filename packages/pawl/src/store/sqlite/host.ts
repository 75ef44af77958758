import { Worker } from 'node:worker_threads';
import { StoreError } from '../store-error.ts';
import { unfolded } from './alike.ts';
import { failureBeforeCommit, toStoreError } from './failure.ts';
import { readOnce } from './reader.ts';
import { type FromThread, say, type ThreadData, type ToThread } from './thread.ts';
import { type Answer, type Call, isWrite } from './verbs.ts';
import { answersOfText, textOfCalls } from './wire.ts';
import { Writer, type WriterOptions } from './writer.ts';

/** Where the synchronous code runs. */
export interface Host {
  /** Writes that were asked for and not yet answered. */
  readonly pending: number;
  ask(call: Call): Promise<unknown>;
  close(): Promise<void>;
}

interface Asked<Message> {
  readonly message: Message;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: StoreError) => void;
}

function settle({ resolve, reject }: Asked<unknown>, answer: Answer): void {
  if ('failure' in answer) reject(toStoreError(answer.failure));
  else resolve(unfolded(answer.value));
}

/** In the calling thread: the calls of one turn share a commit, and nothing is left to chance. */
export class InlineHost implements Host {
  readonly #writer: Writer;
  #writes: Asked<Call>[] = [];

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  get pending(): number {
    return this.#writes.length;
  }

  static open(options: WriterOptions): InlineHost {
    try {
      return new InlineHost(new Writer(options));
    } catch (error) {
      throw toStoreError(failureBeforeCommit(error));
    }
  }

  async ask(call: Call): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (isWrite(call.verb)) {
      if (this.#writes.push({ message: call, resolve, reject }) === 1)
        queueMicrotask(() => this.#commit());
    } else {
      settle({ message: call, resolve, reject }, this.#read(call));
    }
    return promise;
  }

  #read(call: Call): Answer {
    try {
      return readOnce(this.#writer.tools, call);
    } catch (error) {
      return { failure: failureBeforeCommit(error) };
    }
  }

  #commit(): void {
    const group = this.#writes;
    this.#writes = [];
    if (group.length === 0) return;
    const answers = this.#writer.run(group.map(({ message }) => message));
    group.forEach((asked, index) => settle(asked, answers[index]!));
    this.#writer.checkpoint(true);
  }

  async close(): Promise<void> {
    this.#commit();
    this.#writer.close();
  }
}

/** A built file has its imports rewritten by the compiler, but not this one. */
const threadFile = import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js';

/**
 * A call's rows are gone with its answer, so a thread's young objects need no more room than this:
 * half of what V8 would take, and no slower.
 */
const YOUNG_MB_MAX = 24;

/**
 * One worker thread and the calls on their way to it and back. While it is idle it does not keep
 * the process alive. When it ends unasked, what a writer was doing is unknown.
 */
class Thread {
  readonly #worker: Worker;
  readonly #role: ThreadData['role'];
  readonly #opened = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #outbox: Asked<Call>[] = [];
  #inFlight: Asked<Call>[] = [];
  #isLeaving = false;
  #end: string | null = null;

  constructor(data: ThreadData) {
    this.#role = data.role;
    // The flags of the process are about its own main file, and some fail in a thread.
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB_MAX };
    const setup = { workerData: data, execArgv: [], resourceLimits };
    this.#worker = new Worker(new URL(threadFile, import.meta.url), setup);
    this.#worker.on('message', (message: FromThread) => this.#receive(message));
    this.#worker.on('error', (error) => this.#stop(`it failed: ${String(error)}`));
    this.#worker.on('exit', () => this.#stop('it has ended'));
  }

  get pending(): number {
    return this.#outbox.length + this.#inFlight.length;
  }

  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  ask(call: Call): Promise<unknown> {
    if (this.#end !== null) {
      const message = `the ${this.#role}'s thread is gone, ${this.#end}`;
      return Promise.reject(new StoreError('unchanged', message));
    }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#outbox.push({ message: call, resolve, reject });
    this.#sendSoon(call);
    return promise;
  }

  /**
   * New jobs wait until no promise has anything left to do: whoever asks until then goes along. Any
   * other call takes with it what waits: a worker has a thousand jobs to go on with meanwhile.
   */
  #sendSoon({ verb }: Call): void {
    if (verb === 'insert') {
      if (this.#outbox.length === 1) process.nextTick(() => this.#send());
    } else if (!this.#isLeaving) {
      this.#isLeaving = true;
      queueMicrotask(() => this.#send());
    }
  }

  async close(): Promise<void> {
    this.#send();
    this.#worker.ref();
    say<ToThread>(this.#worker, 'close');
    await this.#ended.promise;
  }

  #send(): void {
    const asked = this.#outbox;
    this.#outbox = [];
    this.#isLeaving = false;
    const { calls, sent } = packedUp(asked);
    if (sent.length === 0) return;
    this.#inFlight.push(...sent);
    this.#worker.ref();
    say<ToThread>(this.#worker, { calls });
  }

  #receive(message: FromThread): void {
    if ('isOpen' in message) {
      this.#opened.resolve();
    } else if ('fault' in message) {
      this.#opened.reject(toStoreError(message.fault));
    } else {
      const answers = answersOfText(message.answers);
      const answered = this.#inFlight.splice(0, answers.length);
      answered.forEach((asked, index) => settle(asked, answers[index]!));
    }
    if (this.#inFlight.length === 0) this.#worker.unref();
  }

  #stop(reason: string): void {
    this.#end ??= reason;
    const outcome = this.#role === 'writer' ? 'unknown' : 'unchanged';
    const lost = [...this.#inFlight, ...this.#outbox];
    this.#inFlight = [];
    this.#outbox = [];
    const error = new StoreError(outcome, `the ${this.#role}'s thread is gone: ${this.#end}`);
    for (const { reject } of lost) reject(error);
    this.#opened.reject(error);
    this.#ended.resolve();
  }
}

/** What cannot be written as JSON is refused by itself, and the rest is sent. */
function packedUp(asked: readonly Asked<Call>[]): { calls: string; sent: readonly Asked<Call>[] } {
  try {
    return { calls: textOfCalls(asked.map(({ message }) => message)), sent: asked };
  } catch {
    const sent = asked.filter(isJson);
    return { calls: textOfCalls(sent.map(({ message }) => message)), sent };
  }
}

function isJson({ message, reject }: Asked<Call>): boolean {
  try {
    textOfCalls([message]);
    return true;
  } catch (cause) {
    reject(new StoreError('refused', `a call of ${message.verb} is not JSON`, cause));
    return false;
  }
}

/** In two threads: one writes, one reads, and neither makes the caller or the other wait. */
export class ThreadHost implements Host {
  readonly #writer: Thread;
  readonly #reader: Thread;

  private constructor(writer: Thread, reader: Thread) {
    this.#writer = writer;
    this.#reader = reader;
  }

  get pending(): number {
    return this.#writer.pending;
  }

  static async open(options: WriterOptions): Promise<ThreadHost> {
    const writer = new Thread({ role: 'writer', options });
    await writer.opened;
    const reader = new Thread({ role: 'reader', options });
    try {
      await reader.opened;
    } catch (error) {
      await writer.close();
      throw error;
    }
    return new ThreadHost(writer, reader);
  }

  ask(call: Call): Promise<unknown> {
    return isWrite(call.verb) ? this.#writer.ask(call) : this.#reader.ask(call);
  }

  /** The writer closes last: the last one to leave takes the write-ahead log away. */
  async close(): Promise<void> {
    await this.#reader.close();
    await this.#writer.close();
  }
}
