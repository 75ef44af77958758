// The first file of a handler's own thread or process: it runs one attempt after the other.
import { type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads';
import type { AttemptPort, Keep, Report } from '../../handler/attempt-port.ts';
import { withCompensations } from '../../handler/compensation.ts';
import type { JobDefinition } from '../../handler/define-job.ts';
import { execute, type Outcome } from '../../handler/execute.ts';
import { fail, failureOf } from '../../handler/failure.ts';
import { JobStop } from '../../handler/stop.ts';
import type { FromChild, RunOrder, ToChild } from './protocol.ts';

/** What is said more often than this travels together. */
const TELL_MS = 50;

function isProgress({ stage, log, tokens }: Report): boolean {
  return stage === undefined && log === undefined && tokens === undefined;
}

interface Line {
  say(message: FromChild): void;
  hear(listener: (message: ToChild) => void): void;
  /** What has arrived while the handler kept the thread busy. */
  arrived(): ToChild[];
}

function threadLine(port: MessagePort): Line {
  return {
    say: (message) => port.postMessage(message),
    hear: (listener) => port.on('message', listener),
    arrived: () => {
      const messages: ToChild[] = [];
      for (;;) {
        const next = receiveMessageOnPort(port);
        if (next === undefined) return messages;
        messages.push(next.message as ToChild);
      }
    },
  };
}

function processLine(): Line {
  // Nobody is left to report to.
  process.on('disconnect', () => process.exit());
  return {
    say: (message) => process.send?.(message),
    hear: (listener) => process.on('message', (message) => listener(message as ToChild)),
    arrived: () => [],
  };
}

/** The attempt at hand: its signal, and the writes that wait to become durable. */
class Child {
  readonly #line: Line;
  readonly #waiting: Map<number, PromiseWithResolvers<void>> = new Map();
  #order: RunOrder | null = null;
  #controller = new AbortController();
  #writes = 0;
  #reports: Report[] = [];
  #toldAt = -Infinity;
  #later: NodeJS.Timeout | undefined;

  constructor(line: Line) {
    this.#line = line;
  }

  serve(): void {
    this.#line.hear((message) => this.#receive(message));
  }

  #tell(report: Report): void {
    const last = this.#reports.at(-1);
    if (last !== undefined && isProgress(last) && isProgress(report)) {
      const progress = Math.max(last.progress ?? 0, report.progress ?? 0);
      this.#reports[this.#reports.length - 1] = { ...last, ...report, progress };
    } else this.#reports.push(report);
    if (performance.now() - this.#toldAt >= TELL_MS) this.#flush();
    else this.#later ??= setTimeout(() => this.#flush(), TELL_MS).unref();
  }

  /** A handler that computes without a pause learns here that it should stop. */
  #flush(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    this.#toldAt = performance.now();
    if (this.#reports.length > 0) this.#line.say({ kind: 'tell', reports: this.#reports });
    this.#reports = [];
    for (const message of this.#line.arrived()) this.#receive(message);
  }

  #keep(write: Keep): Promise<void> {
    this.#flush();
    const number = ++this.#writes;
    const waiting = Promise.withResolvers<void>();
    this.#waiting.set(number, waiting);
    this.#line.say({ kind: 'keep', number, write });
    return waiting.promise;
  }

  #receive(message: ToChild): void {
    switch (message.kind) {
      case 'run':
        this.#order = message;
        this.#controller = new AbortController();
        void this.#run(message).then((outcome) => this.#end(outcome));
        return;
      case 'stop':
        this.#controller.abort(new JobStop(message.stop));
        return;
      case 'kept': {
        const waiting = this.#waiting.get(message.number);
        this.#waiting.delete(message.number);
        if (message.stop === null) waiting?.resolve();
        else waiting?.reject(new JobStop(message.stop));
      }
    }
  }

  /** What a handler left behind still says after its end must not count for the next job. */
  #portOf(order: RunOrder): AttemptPort {
    const isOver = (): boolean => this.#order !== order;
    return {
      tell: (report) => {
        if (!isOver()) this.#tell(report);
      },
      keep: async (write) => {
        if (isOver()) throw new JobStop({ why: 'closed', mode: null, message: 'it has ended' });
        return this.#keep(write);
      },
    };
  }

  #end(outcome: Outcome): void {
    this.#flush();
    this.#order = null;
    this.#line.say({ kind: 'ended', outcome });
  }

  async #run(order: RunOrder): Promise<Outcome> {
    const { signal } = this.#controller;
    try {
      const job = await jobOf(order);
      return await execute(job, { facts: order.facts, port: this.#portOf(order), signal });
    } catch (error) {
      return { kind: 'fail', error: failureOf(error, 'fetch'), deadLetter: null };
    }
  }
}

async function jobOf(order: RunOrder): Promise<JobDefinition> {
  const exports = (await import(order.module)) as Record<string, unknown>;
  const exported = exports[order.export] as JobDefinition | undefined;
  const jobs = typeof exported?.run === 'function' ? withCompensations([exported]) : [];
  const job = jobs.find(({ type }) => type === order.type);
  if (job !== undefined) return job;
  const message = `${order.module} exports no job of type ${order.type} as "${order.export}"`;
  throw fail('configuration_error', message);
}

new Child(parentPort === null ? processLine() : threadLine(parentPort)).serve();
