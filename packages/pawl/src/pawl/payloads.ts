import type { PayloadCodec } from '../codec/payload-codec.ts';
import { encodedArtifacts } from '../codec/wrap/artifacts.ts';
import { encodedSink, encodeRequest } from '../codec/wrap/enqueue.ts';
import { type SealedMessage, sealMessage } from '../codec/wrap/flow-names.ts';
import {
  decodeDeadLetter,
  decodeEvent,
  decodeJob,
  decodeStage,
  placeIn,
} from '../codec/wrap/read.ts';
import { encodedSource } from '../codec/wrap/source.ts';
import { PawlError } from '../core/errors.ts';
import type { JobEvent } from '../core/event.ts';
import { flowIdOf } from '../core/ids.ts';
import type { Job, JobRef, JsonText } from '../core/job.ts';
import { PAYLOADS, payloadText } from '../core/payload.ts';
import type { Artifacts } from '../engine/artifacts.ts';
import {
  largeSink,
  largeSource,
  valuesIn,
  wholeInput,
  wholeResult,
} from '../engine/by-reference.ts';
import type { Engine } from '../engine/engine.ts';
import type { EnqueueOptions, EnqueueResult } from '../engine/enqueue.ts';
import { PLAIN_COPY, type StageCopy } from '../engine/kept-stages.ts';
import type { GraphItem } from '../engine/flows/flows.ts';
import type { MessageDraft } from '../handle/job-access.ts';
import type { DeadLetter } from '../records/dead-letters.ts';
import type { JobSource } from '../engine/source.ts';

/** Where the artifacts of handlers and callers go and come from. */
export type PayloadArtifacts = Pick<Artifacts, 'upload' | 'put' | 'list' | 'find' | 'open'>;

/**
 * Payloads on their way in and out of the platform: sealed where there is a codec, and kept as
 * artifacts where they are too large for the database and there is a place for those.
 */
export class Payloads {
  readonly sink: Pick<Engine, 'enqueue'>;
  readonly source: JobSource;
  readonly access: PayloadArtifacts | null;
  readonly #engine: Engine;
  readonly #artifacts: Artifacts | null;
  readonly #codec: PayloadCodec | null;

  /** What is too large is kept as it is sealed: the place of large values needs no key. */
  constructor(
    engine: Engine,
    { artifacts, codec }: { artifacts: Artifacts | null; codec: PayloadCodec | null },
  ) {
    const { ids } = engine;
    this.#engine = engine;
    this.#artifacts = artifacts;
    this.#codec = codec;
    const sink = artifacts === null ? engine : largeSink(engine, artifacts);
    const source: JobSource =
      artifacts === null ? engine : largeSource(engine, valuesIn(artifacts));
    const isPlain = artifacts === null || codec === null;
    this.access = isPlain ? artifacts : encodedArtifacts(artifacts, codec, ids);
    this.sink = codec === null ? sink : encodedSink(sink, codec, ids);
    this.source = codec === null ? source : encodedSource(source, codec);
  }

  /** How the results of stages become those of a job that is run again. */
  get stageCopy(): StageCopy {
    const codec = this.#codec;
    if (codec === null) return PLAIN_COPY;
    return {
      plain: (job, stage) => decodeStage(codec, job, stage).result,
      own: (job, { name, plain }) => codec.encodeJson(placeIn(job, `stage:${name}`), plain),
    };
  }

  /** A job as whoever enqueued it knows it. */
  async job(job: Job): Promise<Job> {
    const whole = this.#artifacts === null ? job : await wholeJob(this.#artifacts, job);
    return this.#codec === null ? whole : decodeJob(this.#codec, whole);
  }

  event(event: JobEvent): JobEvent {
    return this.#codec === null ? event : decodeEvent(this.#codec, event);
  }

  async letter(letter: DeadLetter): Promise<DeadLetter> {
    const { tenant, jobId, input } = letter;
    const given = { tenant, id: jobId, input };
    const isHere = this.#artifacts === null;
    const whole = isHere ? letter : { ...letter, input: await inputIn(this.#artifacts, given) };
    return this.#codec === null ? whole : decodeDeadLetter(this.#codec, whole);
  }

  /** Jobs that wait for one another, sealed under ids that belong to a flow. */
  async graph(items: readonly GraphItem[], options: EnqueueOptions): Promise<EnqueueResult[]> {
    const codec = this.#codec;
    if (codec === null) return this.#engine.flows.enqueueGraph(items, options);
    const { tenant } = options.caller;
    const ids = { next: () => flowIdOf(this.#engine.ids.next()) };
    const sealed = items.map((item) => ({
      ...item,
      request: encodeRequest(codec, item.request, { tenant, ids }),
    }));
    return this.#engine.flows.enqueueGraph(sealed, options);
  }

  /** A message on its way to a job. */
  message(ref: JobRef, { name, value, key }: MessageDraft): SealedMessage {
    const payload = payloadText(PAYLOADS.message, value, '/value');
    const message = key === undefined ? { name, payload } : { name, payload, key };
    return this.#codec === null ? message : sealMessage(this.#codec, ref, message);
  }

  /** An input that goes to the engine by another way than an enqueue, for a job of that id. */
  sealed(ref: JobRef, input: unknown): unknown {
    if (this.#codec === null) return input;
    const json = JSON.stringify(input ?? null);
    return JSON.parse(this.#codec.encodeJson(placeIn(ref, 'input'), json)) as unknown;
  }
}

async function wholeJob(artifacts: Artifacts, job: Job): Promise<Job> {
  const input = await inputIn(artifacts, job);
  const result = job.result === null ? null : await wholeResult(artifacts, job);
  return input === job.input && result === job.result ? job : { ...job, input, result };
}

/** What is gone stays a reference. */
async function inputIn(
  artifacts: Artifacts,
  job: Pick<Job, 'tenant' | 'id' | 'input'>,
): Promise<JsonText> {
  try {
    return await wholeInput(artifacts, job);
  } catch (error) {
    if (error instanceof PawlError && error.code === 'NOT_FOUND') return job.input;
    throw error;
  }
}
