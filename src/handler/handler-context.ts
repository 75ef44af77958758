import { artifactIdOf } from './artifact.ts';
import type { JobFacts, RunContext, StageRunner, Trace } from './context.ts';
import { jsonOf } from './json.ts';
import { pause } from './pause.ts';
import type { HandlerRun, RunSurroundings } from './run-context.ts';

/**
 * What a handler gets. Its members are made when they are taken, apart or not: most handlers take
 * a few of them, and a worker that runs many short jobs would otherwise make all for each.
 */
export class HandlerContext<Input> implements RunContext<Input> {
  readonly input: Input;
  readonly #run: HandlerRun;
  readonly #around: RunSurroundings;

  constructor(input: Input, run: HandlerRun, around: RunSurroundings) {
    this.input = input;
    this.#run = run;
    this.#around = around;
  }

  get job(): JobFacts {
    return this.#around.facts.job;
  }

  get attempt(): number {
    return this.#around.facts.attempt;
  }

  get idempotencyKey(): string {
    return this.#around.facts.idempotencyKey;
  }

  get lastCheckpoint(): unknown {
    const { checkpoint } = this.#around.facts;
    return checkpoint === null ? null : JSON.parse(checkpoint);
  }

  get trace(): Trace {
    return this.#around.facts.trace;
  }

  get signal(): AbortSignal {
    return this.#around.stops.signal;
  }

  get stage(): StageRunner<string> {
    const stage: HandlerRun['stage'] = (name, ...rest) => this.#run.stage(name, ...rest);
    return stage as StageRunner<string>;
  }

  get progress(): RunContext<Input>['progress'] {
    return (done, message) => this.#run.progress(done, message);
  }

  get checkpoint(): RunContext<Input>['checkpoint'] {
    const { port } = this.#around;
    return async (value) => port.keep({ checkpoint: jsonOf('checkpoint', value) });
  }

  get once(): RunContext<Input>['once'] {
    return (key, effect) => this.#run.once(key, effect);
  }

  get artifact(): RunContext<Input>['artifact'] {
    return (name, content, options) => this.#run.artifact(name, content, options);
  }

  get openArtifact(): RunContext<Input>['openArtifact'] {
    return (artifact) => this.#around.port.openArtifact(artifactIdOf(artifact));
  }

  get log(): RunContext<Input>['log'] {
    return (line) => this.#around.port.tell({ log: line });
  }

  get tokens(): RunContext<Input>['tokens'] {
    return (text) => this.#around.port.tell({ tokens: text });
  }

  get snooze(): RunContext<Input>['snooze'] {
    return (delayMs) => pause('snooze', delayMs);
  }

  get advance(): RunContext<Input>['advance'] {
    return (delayMs) => pause('advance', delayMs);
  }
}
