import { createHash } from 'node:crypto';
import { invalid, PawlError } from '../core/errors.ts';
import type { Content, ContentBounds, StoredContent } from './artifact-store.ts';

/** Measures content that flows through, and breaks the flow off where it is not as it must be. */
export class Meter {
  readonly #bounds: ContentBounds;
  readonly #hash = createHash('sha256');
  #size = 0;
  #measured: StoredContent | null = null;

  constructor(bounds: ContentBounds) {
    this.#bounds = bounds;
  }

  /** What came through; only once all of it has. */
  get measured(): StoredContent {
    if (this.#measured === null) throw new Error('the content is incomplete');
    return this.#measured;
  }

  async *through(content: Content): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      this.#size += chunk.byteLength;
      if (this.#size > this.#bounds.bytesMax) throw tooLarge(this.#bounds.bytesMax);
      this.#hash.update(chunk);
      yield chunk;
    }
    this.#measured = { size: this.#size, sha256: this.#hash.digest('hex') };
    checkAgainst(this.#bounds, this.#measured);
  }
}

function tooLarge(bytesMax: number): PawlError {
  return new PawlError('PAYLOAD_TOO_LARGE', `an artifact may have ${bytesMax} bytes at most`);
}

function checkAgainst(bounds: ContentBounds, { size, sha256 }: StoredContent): void {
  if (bounds.size !== undefined && bounds.size !== size) {
    const message = `${bounds.size} bytes were announced and ${size} came`;
    throw invalid([{ pointer: '/content-length', message }]);
  }
  if (bounds.sha256 !== undefined && bounds.sha256 !== sha256) {
    const message = `the SHA-256 of what came is ${sha256}`;
    throw invalid([{ pointer: '/content-digest', message }]);
  }
}
