// A file system that is small enough to fill, in a mount namespace that ends with this process.
import { spawn, spawnSync, type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statfsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const NAMESPACE = 'unshare';
const BALLASTS_MAX = 8;

/** Why it cannot be had here; null where it can. */
export function whyNoSmallDisk(): string | null {
  if (process.platform !== 'linux') return 'a full disk needs Linux';
  if (process.getuid?.() !== 0) return 'a full disk needs root, for a mount of its own';
  const tried = spawnSync(NAMESPACE, [
    '--mount',
    'sh',
    '-c',
    'mount -t tmpfs t /mnt && nsenter -V',
  ]);
  return tried.status === 0 ? null : 'a full disk needs unshare, nsenter and tmpfs';
}

interface DiskOptions {
  readonly megabytes?: number | undefined;
  readonly uid?: number;
  readonly gid?: number;
}

export class SmallDisk {
  /** What a command must begin with to see the disk. */
  readonly entrance: readonly string[];
  readonly #holder: ChildProcess;
  readonly #ballast: string;

  private constructor(holder: ChildProcess, folder: string) {
    this.#holder = holder;
    this.entrance = ['nsenter', `--mount=/proc/${holder.pid}/ns/mnt`, '--'];
    this.#ballast = `/proc/${holder.pid}/root${folder}/ballast`;
  }

  /** The folder must be there; what is mounted on it is seen by those who come in only. */
  static async open(
    folder: string,
    { megabytes = 600, uid = 0, gid = 0 }: DiskOptions = {},
  ): Promise<SmallDisk> {
    const options = `size=${megabytes}m,mode=0700,uid=${uid},gid=${gid}`;
    const script = `mount -t tmpfs -o ${options} tmpfs '${folder}' && echo ready && exec cat`;
    const holder = spawn(NAMESPACE, ['--mount', 'sh', '-c', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const said = await Promise.race([
      once(createInterface(holder.stdout), 'line'),
      once(holder, 'exit').then(() => ['nothing']),
    ]);
    if (said[0] !== 'ready') throw new Error(`no disk could be mounted on ${folder}`);
    return new SmallDisk(holder, folder);
  }

  /** Where the folder is for those who stay outside. */
  get folder(): string {
    return this.#ballast.slice(0, -'/ballast'.length);
  }

  async fill(): Promise<void> {
    for (let part = 0; part < BALLASTS_MAX; part++) {
      const { bavail, bsize } = statfsSync(this.folder);
      if (bavail === 0) return;
      // Others write meanwhile, and whoever asks for more than there is gets nothing.
      const pages = Math.max(1, bavail - (part % 2) * 64);
      const args = ['-l', String(pages * bsize), `${this.#ballast}${part}`];
      await promisify(execFile)('fallocate', args).catch(() => null);
    }
  }

  free(): void {
    for (let part = 0; part < BALLASTS_MAX; part++) {
      rmSync(`${this.#ballast}${part}`, { force: true });
    }
  }

  async close(): Promise<void> {
    this.#holder.stdin?.end();
    if (this.#holder.exitCode === null) await once(this.#holder, 'exit');
  }
}
