import { BOUNDS } from '../core/bounds.ts';
import { PAYLOADS } from '../core/payload.ts';
import type { StageRange } from '../core/policy.ts';
import { boundedText, textOf } from '../core/text.ts';
import {
  type ArtifactContent,
  type ArtifactName,
  artifactIdOf,
  draftOf,
  type KeptArtifact,
  type OpenedArtifact,
} from './artifact.ts';
import type { AttemptFacts, AttemptPort } from './attempt-port.ts';
import type { Done, StageContext } from './context.ts';
import { FlowRun, runInside } from './flow-run.ts';
import { flowVerbs } from './flow-verbs.ts';
import { checkKeptName, jsonOf, jsonTextOf, keptFault } from './json.ts';
import { type JobLog, jobLog } from './log.ts';
import { checkStage, percentOf, rangeOf } from './stage-ranges.ts';
import type { StopSwitch } from './stop.ts';
import { rejectSuspended } from './suspended.ts';
import type { FlowVerbs } from './waits.ts';

export interface RunEnvironment {
  readonly facts: AttemptFacts;
  readonly port: AttemptPort;
  readonly stops: StopSwitch;
  readonly stages: readonly StageRange[];
}

const NONE: readonly string[] = [];

/** What is streamed in one call; longer texts are cut visibly. */
const TOKENS_AT_ONCE = 16 * BOUNDS.tokens;

type Work = (stage: StageContext<unknown>) => unknown;
type Effect = (effect: { readonly idempotencyKey: string }) => unknown;

/** Results kept under these names are not stages of the handler. */
const onceName = (key: string): string => `once:${key}`;
const checkpointName = (stage: string): string => `checkpoint:${stage}`;

/** What one attempt of a handler can do; `HandlerContext` is how its handler sees it. */
export class HandlerRun {
  readonly #around: RunEnvironment;
  // Most handlers have no stages, effects or artifacts: each of these is made for the first.
  #keptMap: Map<string, unknown> | null = null;
  #begunMap: Map<string, Promise<unknown>> | null = null;
  /** The stages at hand, innermost last. */
  #open: readonly string[] = NONE;
  /** The errors that left a stage. */
  #failedIn: WeakMap<object, string> | null = null;
  /** What a turn is suspended after: stages, effects, checkpoints and artifacts on their way. */
  #inFlightSet: Set<Promise<unknown>> | null = null;
  #flowRun: FlowRun | null = null;
  #verbs: FlowVerbs | null = null;
  #log: JobLog | null = null;
  /** Artifacts on their way. */
  #uploads: Set<Promise<unknown>> | null = null;

  constructor(around: RunEnvironment) {
    this.#around = around;
  }

  get #kept(): Map<string, unknown> {
    const { kept } = this.#around.facts;
    this.#keptMap ??= new Map(
      kept.map(({ name, result }) => [name, JSON.parse(result) as unknown]),
    );
    return this.#keptMap;
  }

  get #begun(): Map<string, Promise<unknown>> {
    return (this.#begunMap ??= new Map());
  }

  get #inFlight(): Set<Promise<unknown>> {
    return (this.#inFlightSet ??= new Set());
  }

  /** The words with which a handler waits. */
  get flow(): FlowVerbs {
    const { port, stops } = this.#around;
    this.#flowRun ??= new FlowRun({ port, stops, inFlight: this.#inFlight });
    return (this.#verbs ??= flowVerbs(this.#flowRun));
  }

  /** Where an error came from: the innermost stage that it left, or none. */
  stageOf(error: unknown): string | null {
    const isObject = typeof error === 'object' && error !== null;
    return (isObject ? this.#failedIn?.get(error) : undefined) ?? null;
  }

  /** The waits on which the turn was suspended; null if it was not. */
  get suspension(): readonly string[] | null {
    return this.#flowRun?.suspension ?? null;
  }

  /** The handler has ended. */
  end(): void {
    this.#flowRun?.end();
  }

  get isUploading(): boolean {
    return this.#uploads !== null && this.#uploads.size > 0;
  }

  /** What a handler left on its way when it returned must arrive before that is a success. */
  async uploaded(): Promise<void> {
    if (this.#uploads !== null) await Promise.all(this.#uploads);
  }

  stage(
    name: string,
    ...rest: readonly [Work] | readonly [{ readonly from: unknown }, Work]
  ): Promise<unknown> {
    const [options, work] = rest.length === 1 ? [{ from: undefined }, rest[0]] : rest;
    return this.#remember(name, async () => {
      checkStage(this.#around.stages, name);
      this.#around.stops.throwIfTurned();
      return this.#within(name, () =>
        runInside(name, () => work(this.#stageContext(name, options.from))),
      );
    });
  }

  once(key: string, effect: Effect): Promise<unknown> {
    return this.#remember(onceName(key), async () => {
      checkKeptName(onceName(key));
      this.#around.stops.throwIfTurned();
      return runInside(key, () => effect({ idempotencyKey: this.#keyOf(onceName(key)) }));
    });
  }

  artifact(
    name: string,
    content: ArtifactContent,
    options: { readonly contentType?: string } = {},
  ): Promise<KeptArtifact> {
    const { port, stops } = this.#around;
    if (stops.isSuspended) return rejectSuspended();
    if (stops.stop !== null) return Promise.reject(stops.stop);
    const upload = port.putArtifact(draftOf(name, content, options.contentType));
    const uploads = (this.#uploads ??= new Set());
    uploads.add(upload);
    // One that has failed by then is the handler's to deal with.
    const over = (): void => void uploads.delete(upload);
    upload.then(over, over);
    this.#track(upload);
    return upload;
  }

  async openArtifact(artifact: ArtifactName): Promise<OpenedArtifact> {
    const { port, stops } = this.#around;
    return stops.isSuspended ? rejectSuspended() : port.openArtifact(artifactIdOf(artifact));
  }

  get signal(): AbortSignal {
    return this.#around.stops.signal;
  }

  get log(): JobLog {
    const { port } = this.#around;
    return (this.#log ??= jobLog((line, level) =>
      port.tell({ log: boundedText(textOf(line), BOUNDS.logLine), level }),
    ));
  }

  tokens(piece: string, { keep = true }: { readonly keep?: boolean } = {}): void {
    const text = boundedText(textOf(piece), TOKENS_AT_ONCE);
    this.#around.port.tell(keep ? { tokens: text } : { liveTokens: text });
  }

  /** Gives what is kept, joins what has begun, or does the work and keeps its result. */
  #remember(name: string, work: () => Promise<unknown>): Promise<unknown> {
    const { stops } = this.#around;
    if (stops.isSuspended) return rejectSuspended();
    if (this.#kept.has(name)) return Promise.resolve(this.#kept.get(name));
    const begun = this.#begun.get(name);
    if (begun !== undefined) return begun;
    const full = keptFault(this.#kept.size + (this.#flowRun?.named ?? 0));
    if (full !== null) return Promise.reject(full);
    const doing = work().then(async (value) => {
      const result = jsonOf(PAYLOADS.stageResult, value, `result of "${name}"`);
      await this.#around.port.keep({ stageResult: { name, result } });
      const kept = JSON.parse(result) as unknown;
      this.#kept.set(name, kept);
      return kept;
    });
    this.#begun.set(name, doing);
    this.#track(doing);
    // A handler may catch the error and try the same part again within this attempt.
    doing.catch(() => this.#begun.delete(name));
    return doing;
  }

  /** A turn that waits is suspended after it. */
  #track(work: Promise<unknown>): void {
    const inFlight = this.#inFlight;
    inFlight.add(work);
    const over = (): void => void inFlight.delete(work);
    work.then(over, over);
  }

  async checkpoint(value: unknown): Promise<void> {
    const { port, stops } = this.#around;
    if (stops.isSuspended) return rejectSuspended();
    const kept = port.keep({ checkpoint: jsonOf(PAYLOADS.checkpoint, value) });
    this.#track(kept);
    return kept;
  }

  #stageContext(name: string, initial: unknown): StageContext<unknown> {
    const { port } = this.#around;
    const saved = checkpointName(name);
    return {
      from: this.#kept.has(saved) ? this.#kept.get(saved) : asJson(initial),
      idempotencyKey: this.#keyOf(name),
      checkpoint: async (value) => {
        const result = jsonOf(PAYLOADS.checkpoint, value);
        await port.keep({ stageResult: { name: saved, result } });
        this.#kept.set(saved, JSON.parse(result));
      },
      progress: (done, message) => this.#progress(name, done, message),
    };
  }

  /** Of the stage at hand, or of the job. */
  progress(done: Done, message?: string): void {
    this.#progress(this.#open.at(-1) ?? null, done, message);
  }

  #progress(stage: string | null, done: Done, message?: string): void {
    const progress = percentOf(rangeOf(this.#around.stages, stage), done);
    const said =
      message === undefined ? {} : { message: boundedText(textOf(message), BOUNDS.message) };
    this.#around.port.tell({ progress, ...said });
  }

  async #within(name: string, work: () => unknown): Promise<unknown> {
    const { port } = this.#around;
    const range = rangeOf(this.#around.stages, name);
    this.#open = [...this.#open, name];
    port.tell({ stage: name, progress: range?.min ?? 0 });
    try {
      const result = await (port.within === undefined ? work() : port.within(name, work));
      port.tell({ progress: range?.max ?? 0 });
      return result;
    } catch (error) {
      if (typeof error === 'object' && error !== null) this.#left(name, error);
      throw error;
    } finally {
      this.#open = this.#open.toSpliced(this.#open.lastIndexOf(name), 1);
    }
  }

  /** The innermost stage is the first that an error leaves. */
  #left(stage: string, error: object): void {
    this.#failedIn ??= new WeakMap();
    if (!this.#failedIn.has(error)) this.#failedIn.set(error, stage);
  }

  #keyOf(part: string): string {
    return `${this.#around.facts.idempotencyKey}/${part}`;
  }
}

/** What a first attempt begins with is what a later one would find: a `Date` is a text for both. */
function asJson(initial: unknown): unknown {
  const isPlain = typeof initial !== 'object' || initial === null;
  return isPlain ? initial : (JSON.parse(jsonTextOf('beginning of a stage', initial)) as unknown);
}
