import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a process of a benchmark can be asked to do; given and answered as plain data. */
// oxlint-disable-next-line typescript/no-explicit-any -- each process has verbs of its own
type AnyVerbs = Record<string, (given: any) => Promise<unknown>>;

interface Question {
  readonly id: number;
  readonly verb: string;
  readonly given: unknown;
}

type Message =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: string };

/** Answers the process that started this one, until that is gone. */
export function serve(verbs: AnyVerbs): void {
  process.on('message', (question) => void answer(verbs, question as Question));
  // Ctrl-C reaches every process of a terminal: the one that conducts decides when this one ends.
  process.on('SIGINT', () => undefined);
  process.on('disconnect', () => process.exit());
}

async function answer(verbs: AnyVerbs, { id, verb, given }: Question): Promise<void> {
  const tell = (message: Message): void => void process.send!(message);
  try {
    tell({ id, value: await verbs[verb]!(given) });
  } catch (error) {
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
    tell({ id, failure });
  }
}

/** A process that serves verbs, seen from the one that started it. */
export class Remote<Verbs> {
  readonly #child: ChildProcess;
  readonly #waiting: Map<number, PromiseWithResolvers<unknown>> = new Map();
  #questions = 0;

  constructor(program: URL) {
    this.#child = fork(fileURLToPath(program), { execArgv: ['--no-warnings'] });
    this.#child.on('message', (message) => this.#hear(message as Message));
    this.#child.on('exit', (code, signal) => {
      const error = new Error(`a process of the benchmark ended (${signal ?? code})`);
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    });
  }

  ask<Verb extends keyof Verbs & string>(
    verb: Verb,
    given: Verbs[Verb] extends (given: infer Given) => unknown ? Given : never,
  ): Promise<Verbs[Verb] extends (given: never) => Promise<infer Answer> ? Answer : never> {
    const id = this.#questions++;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    const question: Question = { id, verb, given };
    this.#child.send(question, (error) => {
      if (error !== null) waiting.reject(error);
    });
    return waiting.promise as never;
  }

  #hear(message: Message): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ('failure' in message) waiting?.reject(new Error(message.failure));
    else waiting?.resolve(message.value);
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  }
}
