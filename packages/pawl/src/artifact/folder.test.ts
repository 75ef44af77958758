import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readlinkSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { artifactStoreSuite, contentOf, textOf } from '../../../../test/artifact/store-suite.ts';
import { openFolderArtifacts } from './folder.ts';

function makeFolder(): { folder: string; files: () => string[]; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-artifacts-'));
  const files = (): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name);
  return { folder, files, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

artifactStoreSuite(
  'artifacts in a folder',
  async () => {
    const { folder, files, remove } = makeFolder();
    const store = await openFolderArtifacts({ folder });
    return { store, leftovers: async () => files().length, close: async () => remove() };
  },
  65_536,
);

/** A disk with room for so many bytes. */
function fullAfter(bytes: number): (path: string, flags: 'wx') => Promise<FileHandle> {
  return async (path, flags) => {
    const file = await open(path, flags);
    let left = bytes;
    const real = file.writeFile.bind(file);
    const guarded = async (content: AsyncIterable<Uint8Array>): Promise<void> => {
      const checked = async function* (): AsyncGenerator<Uint8Array> {
        for await (const chunk of content) {
          left -= chunk.byteLength;
          if (left < 0) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
          yield chunk;
        }
      };
      await real(checked());
    };
    return Object.assign(file, { writeFile: guarded });
  };
}

test('[F31] a full disk is a typed error, nothing partial stays, later uploads work', async () => {
  const { folder, files, remove } = makeFolder();
  try {
    const full = await openFolderArtifacts({ folder, openFile: fullAfter(1_500) });
    const kilobyte = Buffer.alloc(1_000);
    const upload = full.put(randomUUID(), contentOf(kilobyte, kilobyte), { bytesMax: 1e6 });
    await assert.rejects(upload, { code: 'STORAGE_FULL', status: 507 });
    assert.deepEqual(files(), []);
    const location = randomUUID();
    await full.put(location, contentOf('fits'), { bytesMax: 1e6 });
    assert.equal(await textOf(await full.get(location)), 'fits');
  } finally {
    remove();
  }
});

test('[F75] what a crash left unfinished is removed once it is old', async () => {
  const { folder, files, remove } = makeFolder();
  try {
    const store = await openFolderArtifacts({ folder });
    const now = 1_800_000_000_000;
    for (const [name, at] of [
      ['old', now - 1_000],
      ['young', now + 1_000],
    ] as const) {
      const path = join(folder, 'unfinished', name);
      writeFileSync(path, 'half');
      utimesSync(path, at / 1000, at / 1000);
    }
    assert.equal(await store.removeUnfinished(now), 1);
    assert.deepEqual(files(), ['young']);
  } finally {
    remove();
  }
});

function openFiles(folder: string): number {
  const own = '/proc/self/fd';
  return readdirSync(own).filter((fd) => linkOf(join(own, fd)).startsWith(folder)).length;
}

/** The list itself was a descriptor that is gone by now. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

const onLinux = process.platform === 'linux' ? {} : { skip: 'open files are listed on Linux only' };

test(
  'content that nobody reads, or that is left half read, holds no file open',
  onLinux,
  async () => {
    const { folder, remove } = makeFolder();
    try {
      const store = await openFolderArtifacts({ folder });
      const location = randomUUID();
      await store.put(location, contentOf(Buffer.alloc(300_000)), { bytesMax: 1e6 });
      await store.get(location);
      assert.equal(openFiles(folder), 0);
      for await (const chunk of await store.get(location)) {
        assert.ok(chunk.byteLength > 0);
        assert.equal(openFiles(folder), 1);
        break;
      }
      assert.equal(openFiles(folder), 0);
    } finally {
      remove();
    }
  },
);
