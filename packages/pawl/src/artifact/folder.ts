import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Instant } from '../core/clock.ts';
import { PawlError } from '../core/errors.ts';
import { isUuid } from '../core/uuid.ts';
import type {
  ArtifactStore,
  ByteRange,
  Content,
  ContentBounds,
  FoundContent,
  FoundPage,
  StoredContent,
} from './artifact-store.ts';
import { Meter } from './meter.ts';

export interface FolderOptions {
  /** Made if it is not there. */
  readonly folder: string;
  /** How files are opened for writing; tests hand in disks that are full. */
  readonly openFile?: (path: string, flags: 'wx') => Promise<FileHandle>;
}

const UNFINISHED = 'unfinished';

/** Codes by which a file system says that there is no room left. */
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * Artifacts as files of one folder: written under a passing name, synced, then renamed, so that a
 * file of a final name is whole also after a power cut.
 */
class FolderArtifacts implements ArtifactStore {
  readonly #folder: string;
  readonly #openFile: NonNullable<FolderOptions['openFile']>;

  constructor({ folder, openFile = open }: FolderOptions) {
    this.#folder = folder;
    this.#openFile = openFile;
  }

  async put(location: string, content: Content, bounds: ContentBounds): Promise<StoredContent> {
    const path = this.#pathOf(location);
    const passing = join(this.#folder, UNFINISHED, `${location}.${randomUUID()}`);
    const meter = new Meter(bounds);
    try {
      const file = await this.#openFile(passing, 'wx');
      try {
        await file.writeFile(meter.through(content));
        await file.sync();
      } finally {
        await file.close();
      }
      await this.#publish(passing, path);
    } catch (error) {
      await rm(passing, { force: true });
      throw storageErrorOf(error);
    }
    return meter.measured;
  }

  async #publish(passing: string, path: string): Promise<void> {
    const shard = join(path, '..');
    if ((await mkdir(shard, { recursive: true })) !== undefined) await syncFolder(this.#folder);
    await rename(passing, path);
    await syncFolder(shard);
  }

  /** The file is opened with the first byte that is asked for: content may be left unread. */
  async get(location: string, range?: ByteRange): Promise<Content> {
    const path = this.#pathOf(location);
    await stat(path).catch((error: unknown) => {
      throw storageErrorOf(error);
    });
    return readFrom(path, range === undefined ? {} : { start: range.first, end: range.last });
  }

  async remove(locations: readonly string[]): Promise<void> {
    for (const location of locations) await rm(this.#pathOf(location), { force: true });
  }

  async list(after: string | null, limit: number): Promise<FoundPage> {
    const [shardAfter = '', nameAfter = ''] = after?.split('/') ?? [];
    const found: FoundContent[] = [];
    for (const shard of await namesIn(this.#folder)) {
      if (shard === UNFINISHED || shard < shardAfter) continue;
      for (const name of await namesIn(join(this.#folder, shard))) {
        if (!isUuid(name) || (shard === shardAfter && name <= nameAfter)) continue;
        const stats = await stat(join(this.#folder, shard, name)).catch(() => null);
        if (stats === null) continue;
        found.push({ location: name, writtenAt: stats.mtimeMs });
        if (found.length === limit) return { found, next: `${shard}/${name}` };
      }
    }
    return { found, next: null };
  }

  async removeUnfinished(before: Instant): Promise<number> {
    let removed = 0;
    for (const name of await namesIn(join(this.#folder, UNFINISHED))) {
      const path = join(this.#folder, UNFINISHED, name);
      const stats = await stat(path).catch(() => null);
      if (stats === null || stats.mtimeMs >= before) continue;
      await rm(path, { force: true });
      removed += 1;
    }
    return removed;
  }

  #pathOf(location: string): string {
    if (!isUuid(location)) throw new TypeError(`"${location}" is not the location of an artifact`);
    return join(this.#folder, location.slice(-2), location);
  }
}

/** Artifacts in a folder of this machine: the default, and enough for one process. */
export async function openFolderArtifacts(options: FolderOptions): Promise<ArtifactStore> {
  await mkdir(join(options.folder, UNFINISHED), { recursive: true });
  return new FolderArtifacts(options);
}

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
  return names.toSorted((one, other) => (one < other ? -1 : 1));
}

/** A new name is only safe once its folder is; systems that cannot sync one need not. */
async function* readFrom(
  path: string,
  part: { start?: number; end?: number },
): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r');
  try {
    yield* file.createReadStream({ ...part, autoClose: false }) as AsyncIterable<Uint8Array>;
  } finally {
    await file.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  if (handle === null) return;
  try {
    await handle.sync().catch((error: NodeJS.ErrnoException) => {
      if (!['EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP'].includes(error.code ?? '')) throw error;
    });
  } finally {
    await handle.close();
  }
}

function storageErrorOf(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (FULL.has(code ?? '')) {
    return new PawlError('STORAGE_FULL', 'the disk for artifacts is full', { cause: error });
  }
  if (code === 'ENOENT') {
    return new PawlError('NOT_FOUND', 'the content of the artifact is gone', { cause: error });
  }
  return error;
}
