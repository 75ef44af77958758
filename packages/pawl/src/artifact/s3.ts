import type { S3mini } from 's3mini';
import type { Instant } from '../core/clock.ts';
import { PawlError } from '../core/errors.ts';
import { isUuid } from '../core/uuid.ts';
import type {
  ArtifactStore,
  ByteRange,
  Content,
  ContentBounds,
  FoundPage,
  StoredContent,
} from './artifact-store.ts';
import { Meter } from './meter.ts';

export interface S3Options {
  /** The bucket's address, for example https://storage.example.org/artifacts. */
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region?: string;
  /** What the keys begin with, where the bucket is shared. */
  readonly prefix?: string;
  /** Content is sent in parts of this size; S3 takes no smaller ones than 5 MiB. */
  readonly partBytes?: number;
}

const PART_BYTES = 8 * 1024 * 1024;

/** Artifacts as objects of a bucket. Large ones go up in parts and appear with the last. */
class S3Artifacts implements ArtifactStore {
  readonly #client: S3mini;
  readonly #prefix: string;
  readonly #partBytes: number;

  constructor(client: S3mini, { prefix = '', partBytes = PART_BYTES }: S3Options) {
    this.#client = client;
    this.#prefix = prefix;
    this.#partBytes = partBytes;
  }

  async put(location: string, content: Content, bounds: ContentBounds): Promise<StoredContent> {
    const key = this.#keyOf(location);
    const meter = new Meter(bounds);
    const parts = inParts(meter.through(content), this.#partBytes);
    const first = await parts.next();
    const second = await parts.next();
    if (second.done === true) {
      await this.#client.putObject(key, first.value ?? new Uint8Array());
    } else {
      await this.#putInParts(key, [first.value!, second.value], parts);
    }
    return meter.measured;
  }

  async #putInParts(
    key: string,
    begun: readonly Uint8Array[],
    rest: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const uploadId = await this.#client.getMultipartUploadId(key);
    try {
      const done: { partNumber: number; etag: string }[] = [];
      const send = async (part: Uint8Array): Promise<void> => {
        const number = done.length + 1;
        done.push(await this.#client.uploadPart(key, uploadId, part, number));
      };
      for (const part of begun) await send(part);
      for await (const part of rest) await send(part);
      await this.#client.completeMultipartUpload(key, uploadId, done);
    } catch (error) {
      // Parts without an object cost money and are seen by nobody; the first error says more.
      await this.#client.abortMultipartUpload(key, uploadId).catch(() => undefined);
      throw error;
    }
  }

  async get(location: string, range?: ByteRange): Promise<Content> {
    const key = this.#keyOf(location);
    const response = await (
      range === undefined
        ? this.#client.getObjectRaw(key)
        : this.#client.getObjectRaw(key, false, range.first, range.last + 1)
    ).catch((error: unknown) => {
      throw isMissing(error) ? gone(error) : error;
    });
    if (response.status === 404) throw gone(undefined);
    return (response.body ?? []) as Content;
  }

  async remove(locations: readonly string[]): Promise<void> {
    for (const location of locations) {
      await this.#client.deleteObject(this.#keyOf(location)).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    }
  }

  async list(after: string | null, limit: number): Promise<FoundPage> {
    const page = await this.#client.listObjectsPaged('/', this.#prefix, limit, after ?? undefined);
    const found = (page?.objects ?? [])
      .map(({ Key, LastModified }) => ({
        location: Key.slice(this.#prefix.length),
        writtenAt: new Date(LastModified).getTime(),
      }))
      .filter(({ location }) => isUuid(location));
    return { found, next: page?.nextContinuationToken ?? null };
  }

  /** Broken uploads are aborted at once; for crashes a bucket has a lifecycle rule of its own. */
  async removeUnfinished(_before: Instant): Promise<number> {
    return 0;
  }

  #keyOf(location: string): string {
    if (!isUuid(location)) throw new TypeError(`"${location}" is not the location of an artifact`);
    return this.#prefix + location;
  }
}

/** Artifacts in a bucket, for any number of processes. Needs the package `s3mini`. */
export async function openS3Artifacts(options: S3Options): Promise<ArtifactStore> {
  const { S3mini } = await import('s3mini').catch((cause: unknown) => {
    throw new Error('artifacts in S3 need the package "s3mini": npm install s3mini', { cause });
  });
  const { endpoint, accessKeyId, secretAccessKey, region = 'auto' } = options;
  const client = new S3mini({ endpoint, accessKeyId, secretAccessKey, region });
  return new S3Artifacts(client, options);
}

/** The same bytes in pieces of one size, but for the last; of nothing there is no piece. */
async function* inParts(content: Content, bytes: number): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content) {
    waiting.push(chunk);
    size += chunk.byteLength;
    while (size >= bytes) {
      const whole = Buffer.concat(waiting);
      yield whole.subarray(0, bytes);
      waiting = [whole.subarray(bytes)];
      size -= bytes;
    }
  }
  if (size > 0) yield Buffer.concat(waiting);
}

function isMissing(error: unknown): boolean {
  return (error as { status?: number }).status === 404;
}

function gone(cause: unknown): PawlError {
  return new PawlError('NOT_FOUND', 'the content of the artifact is gone', { cause });
}
