// A disk that is really full: a small one of memory, where the system lets us mount it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const UPLOADS = `
  import { openFolderArtifacts } from ${JSON.stringify(import.meta.resolve('./folder.ts'))};
  import { readdirSync } from 'node:fs';
  const folder = process.argv[1];
  const store = await openFolderArtifacts({ folder });
  const [large, small] = [crypto.randomUUID(), crypto.randomUUID()];
  const content = async function* (chunks) {
    for (let sent = 0; sent < chunks; sent++) yield Buffer.alloc(64 * 1024, 'x');
  };
  const code = await store.put(large, content(64), { bytesMax: 1e9 }).then(
    () => 'stored',
    (error) => error.code,
  );
  const left = readdirSync(folder + '/unfinished').length;
  const gone = await store.get(large).catch((error) => error.code);
  const { size } = await store.put(small, content(2), { bytesMax: 1e9 });
  console.log(JSON.stringify({ code, left, gone, size }));`;

const NO_MOUNT = 42;
const OWN_NAMESPACE = 'unshare';

/** In a namespace of its own the mount is gone with the process. */
function onSmallDisk(folder: string): { status: number | null; stdout: string } {
  const script = `mount -t tmpfs -o size=1m tmpfs "$1" || exit ${NO_MOUNT}; shift; exec "$@"`;
  const node = [process.execPath, '--input-type=module', '-e', UPLOADS, folder];
  const args = ['-r', '-m', 'sh', '-c', script, 'sh', folder, ...node];
  return spawnSync(OWN_NAMESPACE, args, { encoding: 'utf8' });
}

test('[F31] on a disk that is really full an upload fails typed and leaves its room', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-small-disk-'));
  try {
    const { status, stdout } = onSmallDisk(folder);
    if (status === null || status === NO_MOUNT || stdout === '') {
      context.skip('a small disk cannot be mounted here');
      return;
    }
    assert.deepEqual(JSON.parse(stdout), {
      code: 'STORAGE_FULL',
      left: 0,
      gone: 'NOT_FOUND',
      size: 131_072,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
