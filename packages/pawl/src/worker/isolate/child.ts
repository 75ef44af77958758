// The first file of a handler's own thread or process: it runs one attempt after the other.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads';
import type { Failure } from '../../core/decision.ts';
import type { FlowAnswer } from '../../core/flow.ts';
import {
  type ArtifactDraft,
  type KeptArtifact,
  noting,
  type OpenedArtifact,
} from '../../handler/artifact.ts';
import type { AttemptPort, Report } from '../../handler/attempt-port.ts';
import { withCompensations } from '../../handler/compensation.ts';
import { isJobDefinition, type JobDefinition } from '../../handler/define-job.ts';
import { execute, failedBy, type Outcome } from '../../handler/execute.ts';
import { fail, JobFailure } from '../../handler/failure.ts';
import { JobStop, StopSwitch } from '../../handler/stop.ts';
import { isSuspended } from '../../handler/suspended.ts';
import { failureOf, isInstance } from '../../handler/thrown-error.ts';
import { catchUncaught, type ErrorOwner, ownedBy } from '../../handler/uncaught.ts';
import { Streams } from './stream.ts';
import type { Answer, FromChild, Granted, RunOrder, ToChild, Wish } from './protocol.ts';

/** What is said more often than this travels together. */
const TELL_MS = 50;

function isProgress({ stage, log, tokens }: Report): boolean {
  return stage === undefined && log === undefined && tokens === undefined;
}

/** Connections may stay for the next attempt; whoever waits for anything else is not done. */
const LASTING: ReadonlySet<string> = new Set([
  'MessagePort',
  'PipeWrap',
  'TCPSocketWrap',
  'TLSWrap',
  'TTYWrap',
]);

function leftovers(): string[] {
  return process.getActiveResourcesInfo().filter((name) => !LASTING.has(name));
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

/** One attempt: it ends by its handler, or by an error that its handler left to nobody. */
class ChildRun implements ErrorOwner {
  readonly order: RunOrder;
  readonly stops = new StopSwitch();
  readonly #broken = Promise.withResolvers<Outcome>();
  job: JobDefinition | null = null;
  #error: Outcome | null = null;
  #isOver = false;

  constructor(order: RunOrder) {
    this.order = order;
  }

  get jobId(): string {
    return this.order.facts.job.id;
  }

  get isBroken(): boolean {
    return this.#error !== null;
  }

  uncaught(thrown: unknown): boolean {
    if (isInstance(thrown, JobStop) || isSuspended(thrown)) return true;
    if (this.#isOver || this.job === null) return false;
    this.#error ??= failedBy(this.job, thrown, null);
    this.#broken.resolve(this.#error);
    return true;
  }

  async outcomeOf(job: JobDefinition, port: AttemptPort): Promise<Outcome> {
    this.job = job;
    const { facts } = this.order;
    const ended = ownedBy(this, execute, job, { facts, port, stops: this.stops });
    const outcome = await Promise.race([ended, this.#broken.promise]);
    // A rejection that nobody handles is known within this turn, and undoes a success.
    await nextTurn();
    this.#isOver = true;
    return this.#error ?? outcome;
  }
}

/** The attempt at hand: its signal, and what was asked and is not answered yet. */
class Child {
  readonly #line: Line;
  readonly #asked: Map<number, PromiseWithResolvers<Granted>> = new Map();
  readonly #streams: Streams;
  #run: ChildRun | null = null;
  #numbers = 0;
  /** How much there was to wait for before the attempt. */
  #resources = 0;
  #reports: Report[] = [];
  #toldAt = -Infinity;
  #later: NodeJS.Timeout | undefined;

  constructor(line: Line) {
    this.#line = line;
    this.#streams = new Streams((word) => line.say(word));
  }

  serve(): void {
    this.#line.hear((message) => this.#receive(message));
    catchUncaught((thrown, owner) => {
      // There is one attempt at a time: what does not say whose it is can only be its own.
      if (owner === null && this.#run?.uncaught(thrown) === true) return true;
      const jobId = owner?.jobId ?? null;
      this.#line.say({ kind: 'late', jobId, failure: failureOf(thrown, null) });
      return true;
    });
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

  #ask(number: number, wish: Wish): Promise<Granted> {
    this.#flush();
    const asked = Promise.withResolvers<Granted>();
    this.#asked.set(number, asked);
    this.#line.say({ kind: 'ask', number, wish });
    return asked.promise;
  }

  #answered(number: number, answer: Answer): void {
    const asked = this.#asked.get(number);
    this.#asked.delete(number);
    if (answer.kind === 'done') asked?.resolve(answer.granted);
    else if (answer.kind === 'stop') asked?.reject(new JobStop(answer.stop));
    else asked?.reject(failureFrom(answer.failure));
  }

  async #put({ content, name, contentType }: ArtifactDraft): Promise<KeptArtifact> {
    const number = ++this.#numbers;
    const own: { error?: unknown } = {};
    this.#streams.send(number, noting(content, own));
    try {
      return (await this.#ask(number, { kind: 'put', name, contentType })) as KeptArtifact;
    } catch (error) {
      throw 'error' in own ? own.error : error;
    }
  }

  async #open(id: string): Promise<OpenedArtifact> {
    const number = ++this.#numbers;
    const artifact = (await this.#ask(number, { kind: 'open', id })) as KeptArtifact;
    return { ...artifact, content: this.#streams.receive(number) };
  }

  #receive(message: ToChild): void {
    switch (message.kind) {
      case 'run': {
        const run = new ChildRun(message);
        this.#run = run;
        void this.#perform(run).then((outcome) => this.#end(run, outcome));
        return;
      }
      case 'stop':
        this.#run?.stops.turn(new JobStop(message.stop));
        return;
      case 'answer':
        this.#answered(message.number, message.answer);
        return;
      default:
        this.#streams.hear(message);
    }
  }

  /** What a handler left behind still says after its end must not count for the next job. */
  #portOf(run: ChildRun): AttemptPort {
    const checkOpen = (): void => {
      if (this.#run === run) return;
      throw new JobStop({ why: 'closed', mode: null, message: 'the attempt has ended' });
    };
    return {
      tell: (report) => {
        if (this.#run === run) this.#tell(report);
      },
      keep: async (write) => {
        checkOpen();
        await this.#ask(++this.#numbers, { kind: 'keep', write });
      },
      putArtifact: async (artifact) => {
        checkOpen();
        return this.#put(artifact);
      },
      openArtifact: async (id) => {
        checkOpen();
        return this.#open(id);
      },
      flow: async (call) => {
        checkOpen();
        return (await this.#ask(++this.#numbers, { kind: 'flow', call })) as FlowAnswer;
      },
    };
  }

  #end(run: ChildRun, outcome: Outcome): void {
    this.#flush();
    this.#run = null;
    this.#streams.clear();
    const isClean = !run.isBroken && leftovers().length <= this.#resources;
    this.#line.say({ kind: 'ended', outcome, isClean });
  }

  async #perform(run: ChildRun): Promise<Outcome> {
    try {
      const job = await jobOf(run.order);
      this.#resources = leftovers().length;
      return await run.outcomeOf(job, this.#portOf(run));
    } catch (error) {
      return { kind: 'fail', error: failureOf(error, 'fetch'), deadLetter: null };
    }
  }
}

async function jobOf(order: RunOrder): Promise<JobDefinition> {
  const exports = (await import(order.module)) as Record<string, unknown>;
  const exported = exports[order.export];
  const jobs = isJobDefinition(exported) ? withCompensations([exported]) : [];
  const job = jobs.find(({ type }) => type === order.type);
  if (job !== undefined) return job;
  const message = `${order.module} exports no job of type ${order.type} as "${order.export}"`;
  throw fail('configuration_error', message);
}

function failureFrom({ class: errorClass, message, code, details }: Failure): JobFailure {
  const known = typeof code === 'string' ? { code } : {};
  return new JobFailure(errorClass, message, { ...known, details });
}

new Child(parentPort === null ? processLine() : threadLine(parentPort)).serve();
