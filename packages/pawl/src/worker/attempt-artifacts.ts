import type { PawlError } from '../core/errors.ts';
import { type ErrorCode, isPawlError } from '../core/errors.ts';
import type { Artifacts } from '../engine/artifacts.ts';
import type { Ownership } from '../engine/owner.ts';
import {
  type ArtifactDraft,
  type KeptArtifact,
  noting,
  type OpenedArtifact,
} from '../handler/artifact.ts';
import { fail, isJobFailure } from '../handler/failure.ts';
import type { JobStop } from '../handler/stop.ts';
import type { Artifact } from '../records/artifacts.ts';

/** Where a worker's artifacts go and come from: a store beside the engine, or one behind HTTP. */
export type ArtifactAccess = Pick<Artifacts, 'put' | 'find' | 'open'>;

export interface AttemptArtifactsOptions {
  readonly access: ArtifactAccess | null;
  readonly held: () => Ownership;
  /** The platform says that the job is not this worker's: stops the handler, and says with what. */
  readonly onLost: (error: PawlError) => JobStop;
}

/** What a refusal means for the attempt; all others may be gone the next time. */
const CLASSES: Partial<Record<ErrorCode, string>> = {
  VALIDATION_ERROR: 'validation_error',
  NOT_FOUND: 'validation_error',
  PAYLOAD_TOO_LARGE: 'resource_limit_exceeded',
  QUOTA_EXCEEDED: 'quota_exceeded',
};

/** The artifacts of one attempt. When it ends, what is still on its way is broken off. */
export class AttemptArtifacts {
  readonly #options: AttemptArtifactsOptions;
  /** Made for the first artifact: most attempts have none. */
  #ending: AbortController | null = null;
  #stop: (() => JobStop) | null = null;

  constructor(options: AttemptArtifactsOptions) {
    this.#options = options;
  }

  async put(draft: ArtifactDraft): Promise<KeptArtifact> {
    const own: { error?: unknown } = {};
    const content = this.#untilTheEnd(noting(draft.content, own));
    try {
      return keptOf(await this.#access.put(this.#options.held(), { ...draft, content }));
    } catch (error) {
      this.#signal.throwIfAborted();
      if ('error' in own) throw own.error;
      const isLost = isPawlError(error) && error.code === 'LEASE_LOST';
      throw isLost ? this.#options.onLost(error) : failureFrom(error, 'could not be kept');
    }
  }

  async open(id: string): Promise<OpenedArtifact> {
    try {
      const held = this.#options.held();
      const found = await this.#access.find({ tenant: held.ref.tenant, id }, held);
      const content = reading(await this.#access.open(found));
      // What the handler leaves half read would hold its file open for ever.
      const leave = (): void => void content.return(undefined).catch(() => undefined);
      this.#signal.addEventListener('abort', leave, { once: true });
      return { ...keptOf(found), content: this.#untilTheEnd(content) };
    } catch (error) {
      this.#signal.throwIfAborted();
      throw failureFrom(error, 'could not be read');
    }
  }

  end(stop: () => JobStop): void {
    this.#stop ??= stop;
    this.#ending?.abort(stop());
  }

  get #signal(): AbortSignal {
    if (this.#ending === null) {
      this.#ending = new AbortController();
      if (this.#stop !== null) this.#ending.abort(this.#stop());
    }
    return this.#ending.signal;
  }

  get #access(): ArtifactAccess {
    this.#signal.throwIfAborted();
    const { access } = this.#options;
    if (access !== null) return access;
    const message = 'this worker has no store for artifacts: set its option `artifacts`';
    throw fail('configuration_error', message);
  }

  #untilTheEnd(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    return until(this.#signal, content);
  }
}

function keptOf({ id, name, contentType, size, sha256 }: Artifact): KeptArtifact {
  return { id, name, contentType, size, sha256 };
}

/** Ends with the signal, also while it waits for a chunk that may never come. */
async function* until(
  signal: AbortSignal,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const source = content[Symbol.asyncIterator]();
  let onAbort = (): void => undefined;
  const abort = (): void => onAbort();
  signal.addEventListener('abort', abort);
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        onAbort = () => reject(signal.reason as Error);
        source.next().then(resolve, reject);
      });
      if (done === true) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    // Nobody waits for what the source does then: it may be what never comes.
    source.return?.().catch(() => undefined);
  }
}

async function* reading(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    throw failureFrom(error, 'broke off while it was read');
  }
}

function failureFrom(error: unknown, what: string): unknown {
  if (!(error instanceof Error) || isJobFailure(error)) return error;
  const code = isPawlError(error) ? error.code : null;
  const errorClass = (code === null ? undefined : CLASSES[code]) ?? 'transient_storage';
  const more = { cause: error, ...(code === null ? {} : { code }) };
  return fail(errorClass, `an artifact ${what}: ${error.message}`, more);
}
