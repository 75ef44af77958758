import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from 'node:worker_threads';
import { type Failure, failureBeforeCommit } from './failure.ts';
import { Reader } from './reader.ts';
import type { Call } from './verbs.ts';
import { callsOfText, textOfAnswers } from './wire.ts';
import { Writer, type WriterOptions } from './writer.ts';

/** What a thread of the store is started with. */
export interface ThreadData {
  readonly role: 'writer' | 'reader';
  readonly options: WriterOptions;
}

/** Calls that were made in one turn of the event loop travel as one text. `close` ends it all. */
export type ToThread = { readonly calls: string } | 'close';

/** `answers` is the text of as many answers, in the order of the calls. */
export type FromThread =
  | { readonly isOpen: true }
  | { readonly fault: Failure }
  | { readonly answers: string };

/** Says something to a thread, or to the one that started it. */
export function say<Message>(to: { postMessage(message: Message): void }, message: Message): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  to.postMessage(message);
}

/** So many calls share one commit at most, lest the first wait too long for the last. */
const GROUP_CALLS_MAX = 1_000;

/** Who is not asked for so long has time: between two calls of somebody who waits there is none. */
const IDLE_MS = 20;

function serve(port: MessagePort, { role, options }: ThreadData): void {
  const engine = role === 'writer' ? new Writer(options) : new Reader(options);
  const idle = setTimeout(() => engine instanceof Writer && engine.checkpoint(true), IDLE_MS);
  port.on('message', (first: ToThread) => {
    const { calls, isLast } = drain(port, first);
    for (let start = 0; start < calls.length; start += GROUP_CALLS_MAX) {
      const group = calls.slice(start, start + GROUP_CALLS_MAX);
      const answers = engine.run(group);
      say<FromThread>(port, { answers: textOfAnswers(answers) });
    }
    if (isLast) {
      engine.close();
      port.close();
      clearTimeout(idle);
    } else if (engine instanceof Writer) {
      engine.checkpoint(false);
      idle.refresh();
    }
  });
  say<FromThread>(port, { isOpen: true });
}

/** Whatever has come in while the last group was committed makes up the next one. */
function drain(port: MessagePort, first: ToThread): { calls: Call[]; isLast: boolean } {
  const calls: Call[] = [];
  let message: ToThread | undefined = first;
  while (message !== undefined && message !== 'close') {
    calls.push(...callsOfText(message.calls));
    message = receiveMessageOnPort(port)?.message as ToThread | undefined;
  }
  return { calls, isLast: message === 'close' };
}

if (parentPort !== null) {
  try {
    serve(parentPort, workerData as ThreadData);
  } catch (error) {
    say<FromThread>(parentPort, { fault: failureBeforeCommit(error) });
    parentPort.close();
  }
}
