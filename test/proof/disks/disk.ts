// The disk of this process: a small file system in a mount namespace of its own, and a shim between
// SQLite and the system. See subject.ts, which is started with both.
import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Shim } from '../fleet/shim.ts';

/** How a disk is bad, and what the platform has to say of it meanwhile. */
export interface DiskFault {
  readonly name: string;
  readonly state: 'ok' | 'full' | 'readOnly' | 'failing';
  /** Whether a commit can end without anybody knowing how. */
  readonly mayBeUnknown: boolean;
  begin(disk: Disk): void;
  end(disk: Disk): void;
}

export interface Disk {
  readonly folder: string;
  readonly shim: Shim;
}

const { ENOSPC, EIO, EROFS } = constants.errno;
const ALLOCATE = 'fallocate';
const PARTS_MAX = 8;

function fill({ folder }: Disk): void {
  // Others write meanwhile, so what is left is taken in ever smaller parts.
  for (let part = 0; part < PARTS_MAX; part++) {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail === 0) return;
    const bytes = String(Math.max(1, bavail - (part % 2) * 64) * bsize);
    spawnSync(ALLOCATE, ['-l', bytes, join(folder, `ballast${part}`)], { stdio: 'ignore' });
  }
}

function empty({ folder }: Disk): void {
  for (let part = 0; part < PARTS_MAX; part++) {
    rmSync(join(folder, `ballast${part}`), { force: true });
  }
}

function failWrites({ shim }: Disk, error: number): void {
  shim.set('writeError', error);
}

const NEVER = 1_000_000_000;

export const DISK_FAULTS: readonly DiskFault[] = [
  { name: 'full', state: 'full', mayBeUnknown: false, begin: fill, end: empty },
  {
    name: 'read-only',
    state: 'readOnly',
    mayBeUnknown: true,
    begin: (disk) => failWrites(disk, EROFS),
    end: (disk) => failWrites(disk, 0),
  },
  {
    name: 'slow',
    state: 'ok',
    mayBeUnknown: false,
    begin: ({ shim }) => shim.set('syncDelayMs', 40),
    end: ({ shim }) => shim.set('syncDelayMs', 0),
  },
  {
    name: 'failing to sync',
    state: 'failing',
    mayBeUnknown: true,
    begin: ({ shim }) => shim.set('syncFailures', NEVER),
    end: ({ shim }) => shim.set('syncFailures', 0),
  },
  {
    name: 'failing to write',
    state: 'failing',
    mayBeUnknown: true,
    begin: (disk) => failWrites(disk, EIO),
    end: (disk) => failWrites(disk, 0),
  },
  {
    name: 'over its quota',
    state: 'full',
    mayBeUnknown: false,
    begin: (disk) => failWrites(disk, ENOSPC),
    end: (disk) => failWrites(disk, 0),
  },
];
