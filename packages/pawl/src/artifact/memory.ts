import type { Clock, Instant } from '../core/clock.ts';
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

interface Kept {
  readonly bytes: Uint8Array;
  readonly writtenAt: Instant;
}

/** Artifacts that live as long as this object: for tests, and for jobs that need not outlive it. */
class MemoryArtifacts implements ArtifactStore {
  readonly #clock: Clock;
  readonly #kept: Map<string, Kept> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async put(location: string, content: Content, bounds: ContentBounds): Promise<StoredContent> {
    checkPlace(location);
    const meter = new Meter(bounds);
    const chunks: Uint8Array[] = [];
    for await (const chunk of meter.through(content)) chunks.push(chunk);
    this.#kept.set(location, { bytes: Buffer.concat(chunks), writtenAt: this.#clock.now() });
    return meter.measured;
  }

  async get(location: string, range?: ByteRange): Promise<Content> {
    checkPlace(location);
    const kept = this.#kept.get(location);
    if (kept === undefined) throw new PawlError('NOT_FOUND', 'the content of the artifact is gone');
    const { first, last } = range ?? { first: 0, last: kept.bytes.byteLength - 1 };
    return once(kept.bytes.subarray(first, last + 1));
  }

  async remove(locations: readonly string[]): Promise<void> {
    for (const location of locations) this.#kept.delete(location);
  }

  async list(after: string | null, limit: number): Promise<FoundPage> {
    const names = [...this.#kept.keys()].toSorted().filter((name) => name > (after ?? ''));
    const found = names
      .slice(0, limit)
      .map((location) => ({ location, writtenAt: this.#kept.get(location)!.writtenAt }));
    return { found, next: names.length > limit ? found.at(-1)!.location : null };
  }

  /** Nothing is kept before all of it has come. */
  async removeUnfinished(): Promise<number> {
    return 0;
  }
}

export function openMemoryArtifacts(clock: Clock): ArtifactStore {
  return new MemoryArtifacts(clock);
}

function checkPlace(location: string): void {
  if (!isUuid(location)) throw new TypeError(`"${location}" is not the location of an artifact`);
}

async function* once(bytes: Uint8Array): Content {
  if (bytes.byteLength > 0) yield bytes;
}
