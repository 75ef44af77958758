import type { AttemptFacts, AttemptPort } from './attempt-port.ts';
import { JOIN, type Joinable } from './batch.ts';
import type { Context, RunContext, StageRunner } from './context.ts';
import { pause } from './pause.ts';
import type { HandlerRun } from './run-context.ts';
import type { FlowVerbs } from './waits.ts';

type Verb<Name extends keyof FlowVerbs> = (...args: Parameters<FlowVerbs[Name]>) => unknown;
type Own<Input> = Omit<RunContext<Input>, keyof Context>;

const RUN: unique symbol = Symbol('run');

const snooze: Own<unknown>['snooze'] = (delay) => pause('snooze', delay);
const advance: Own<unknown>['advance'] = (delay) => pause('advance', delay);

/** What most handlers never ask for is made when they do. One descriptor for all is quick. */
const MADE_WHEN_ASKED: Readonly<Record<'signal' | 'log', PropertyDescriptor>> = {
  signal: madeWhenAsked((run) => run.signal),
  log: madeWhenAsked((run) => run.log),
};

function madeWhenAsked(make: (run: HandlerRun) => unknown): PropertyDescriptor {
  return {
    get(this: { readonly [RUN]: HandlerRun }) {
      return make(this[RUN]);
    },
    enumerable: true,
    configurable: true,
  };
}

/**
 * The argument of a handler. All members are its own, so that a handler can take it apart or pass
 * on a copy with more in it. Assigned in one order by a constructor they take a quarter of the
 * memory of an object literal with getters, and a drain makes one for every job.
 */
class HandlerContext<Input> {
  readonly [RUN]: HandlerRun;
  readonly #port: AttemptPort;
  readonly input: Input;
  readonly job: AttemptFacts['job'];
  readonly attempt: number;
  readonly fencingToken: number;
  readonly idempotencyKey: string;
  readonly lastCheckpoint: unknown;
  readonly trace: AttemptFacts['trace'];
  readonly stage: StageRunner<string>;
  readonly once: Own<Input>['once'];
  readonly progress: Own<Input>['progress'];
  readonly checkpoint: Own<Input>['checkpoint'];
  readonly artifact: Own<Input>['artifact'];
  readonly openArtifact: Own<Input>['openArtifact'];
  readonly tokens: Own<Input>['tokens'];
  readonly snooze: Own<Input>['snooze'];
  readonly advance: Own<Input>['advance'];
  readonly call: Verb<'call'>;
  readonly callAll: Verb<'callAll'>;
  readonly spawn: Verb<'spawn'>;
  readonly sleep: Verb<'sleep'>;
  readonly receive: Verb<'receive'>;
  readonly messageLink: Verb<'messageLink'>;
  readonly first: Verb<'first'>;

  constructor(run: HandlerRun, { facts, port }: Reach, input: Input) {
    this[RUN] = run;
    this.#port = port;
    this.input = input;
    this.job = facts.job;
    this.attempt = facts.attempt;
    this.fencingToken = facts.fencingToken;
    this.idempotencyKey = facts.idempotencyKey;
    this.lastCheckpoint = facts.checkpoint === null ? null : JSON.parse(facts.checkpoint);
    this.trace = facts.trace;
    const stage: HandlerRun['stage'] = (name, ...rest) => run.stage(name, ...rest);
    this.stage = stage as StageRunner<string>;
    const once: HandlerRun['once'] = (key, effect) => run.once(key, effect);
    this.once = once as Own<Input>['once'];
    this.progress = (done, message) => run.progress(done, message);
    this.checkpoint = (value) => run.checkpoint(value);
    this.artifact = (name, content, options) => run.artifact(name, content, options);
    this.openArtifact = (artifact) => run.openArtifact(artifact);
    this.tokens = (piece, options) => run.tokens(piece, options);
    this.snooze = snooze;
    this.advance = advance;
    this.call = (...args) => run.flow.call(...args);
    this.callAll = (...args) => run.flow.callAll(...args);
    this.spawn = (...args) => run.flow.spawn(...args);
    this.sleep = (...args) => run.flow.sleep(...args);
    this.receive = (...args) => run.flow.receive(...args);
    this.messageLink = (...args) => run.flow.messageLink(...args);
    this.first = (...args) => run.flow.first(...args);
    Object.defineProperty(this, 'signal', MADE_WHEN_ASKED.signal);
    Object.defineProperty(this, 'log', MADE_WHEN_ASKED.log);
  }

  /** Where its handler is one of many jobs; undefined in another thread. */
  get [JOIN](): Joinable[typeof JOIN] {
    const port = this.#port;
    return port.join && ((plan, context) => port.join!(plan, context));
  }
}

interface Reach {
  readonly facts: AttemptFacts;
  readonly port: AttemptPort;
}

export function contextFor<Input>(run: HandlerRun, reach: Reach, input: Input): RunContext<Input> {
  return new HandlerContext(run, reach, input) as unknown as RunContext<Input>;
}
