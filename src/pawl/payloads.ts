import { referenceOf } from '../artifact/reference.ts';
import type { PayloadCodec } from '../codec/payload-codec.ts';
import { encodedDesk } from '../codec/wrap/artifacts.ts';
import { encodedSink } from '../codec/wrap/enqueue.ts';
import { decodeDeadLetter, decodeEvent, decodeJob, placeIn } from '../codec/wrap/read.ts';
import { encodedSource } from '../codec/wrap/source.ts';
import { PawlError } from '../core/errors.ts';
import type { JobEvent } from '../core/event.ts';
import type { Job, JobRef, JsonText } from '../core/job.ts';
import type { Artifacts } from '../engine/artifacts.ts';
import {
  isWholeIn,
  largeSink,
  largeSource,
  smallText,
  wholeValue,
} from '../engine/by-reference.ts';
import type { Engine } from '../engine/engine.ts';
import type { DeadLetter } from '../records/dead-letters.ts';
import type { JobSource } from '../worker/job-source.ts';

/** Where the artifacts of handlers and callers go and come from. */
export type Desk = Pick<Artifacts, 'upload' | 'put' | 'list' | 'find' | 'open'>;

/**
 * Payloads on their way in and out of the platform: sealed where there is a codec, and kept as
 * artifacts where they are too large for the database and there is a place for those.
 */
export class Payloads {
  readonly sink: Pick<Engine, 'enqueue'>;
  readonly source: JobSource;
  readonly desk: Desk | null;
  readonly #codec: PayloadCodec | null;

  constructor(
    engine: Engine,
    { artifacts, codec }: { artifacts: Desk | null; codec: PayloadCodec | null },
  ) {
    const { ids } = engine.context;
    this.#codec = codec;
    const desk =
      artifacts === null || codec === null ? artifacts : encodedDesk(artifacts, codec, ids);
    const sink = codec === null ? engine : encodedSink(engine, codec, ids);
    const source: JobSource = codec === null ? engine : encodedSource(engine, codec);
    this.desk = desk;
    this.sink = desk === null ? sink : largeSink(sink, desk);
    this.source = desk === null ? source : largeSource(source, desk);
  }

  /** A job as whoever enqueued it knows it. */
  async job(job: Job): Promise<Job> {
    const plain = this.#codec === null ? job : decodeJob(this.#codec, job);
    const { tenant, input, result } = plain;
    const isSmall =
      referenceOf(input) === null && (result === null || referenceOf(result) === null);
    if (isSmall || this.desk === null) return plain;
    return {
      ...plain,
      input: await this.#whole(tenant, input),
      result: result === null ? null : await this.#whole(tenant, result),
    };
  }

  event(event: JobEvent): JobEvent {
    return this.#codec === null ? event : decodeEvent(this.#codec, event);
  }

  async letter(letter: DeadLetter): Promise<DeadLetter> {
    const plain = this.#codec === null ? letter : decodeDeadLetter(this.#codec, letter);
    return { ...plain, input: await this.#whole(plain.tenant, plain.input) };
  }

  /** An input that goes to the engine by another way than an enqueue, for a job of that id. */
  async sealed(ref: JobRef, input: unknown): Promise<unknown> {
    const json = JSON.stringify(input ?? null);
    const small = this.desk === null ? json : await smallText(this.desk, ref, json);
    const sealed = this.#codec?.encodeJson(placeIn(ref, 'input'), small) ?? small;
    return JSON.parse(sealed) as unknown;
  }

  /** A document that is no JSON stays a reference, and so does what is gone. */
  async #whole(tenant: string, json: JsonText): Promise<JsonText> {
    const id = referenceOf(json);
    if (id === null || this.desk === null) return json;
    try {
      const isWhole = await isWholeIn(this.desk, { tenant, id });
      return isWhole ? await wholeValue(this.desk, tenant, json) : json;
    } catch (error) {
      if (error instanceof PawlError && error.code === 'NOT_FOUND') return json;
      throw error;
    }
  }
}
