import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from 'node:worker_threads';
import { type Failure, failureBeforeCommit } from './failure.ts';
import type { Answer, Call } from './verbs.ts';
import { callsOfText, textOfAnswers } from './wire.ts';
import type { WriterOptions } from './writer.ts';

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

/** What a thread does all day. */
interface Duty {
  run(calls: readonly Call[]): Answer[];
  /** Of a writer alone. */
  checkpoint?(isIdle: boolean): void;
  close(): void;
}

/** A thread loads what belongs to its own role, which is little more than half. */
async function takeUp({ role, options }: ThreadData): Promise<Duty> {
  if (role === 'reader') return new (await import('./reader.ts')).Reader(options);
  return new (await import('./writer.ts')).Writer(options);
}

function serve(port: MessagePort, duty: Duty): void {
  const idle = setTimeout(() => duty.checkpoint?.(true), IDLE_MS);
  port.on('message', (first: ToThread) => {
    const { calls, isLast } = drain(port, first);
    for (let start = 0; start < calls.length; start += GROUP_CALLS_MAX) {
      const group = calls.slice(start, start + GROUP_CALLS_MAX);
      const answers = duty.run(group);
      say<FromThread>(port, { answers: textOfAnswers(answers) });
    }
    if (isLast) {
      duty.close();
      port.close();
      clearTimeout(idle);
    } else if (duty.checkpoint !== undefined) {
      duty.checkpoint(false);
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
    serve(parentPort, await takeUp(workerData as ThreadData));
  } catch (error) {
    say<FromThread>(parentPort, { fault: failureBeforeCommit(error) });
    parentPort.close();
  }
}
