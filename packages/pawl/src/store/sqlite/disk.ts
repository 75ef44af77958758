import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoreHealth } from '../health.ts';
import type { Work } from './work.ts';

/** The write-ahead log needs room of its own: with less than this a disk is as good as full. */
const FREE_BYTES_MIN = 8 * 1_048_576;
/** More than fits into what a full disk may still have left in its last pages. */
const PROBE_CHARS = 65_536;

/**
 * What a disk says of itself without a write. The file is not opened for it: closing it would take
 * away the locks that SQLite holds in this process.
 */
export async function lookAtDisk(path: string): Promise<StoreHealth | null> {
  try {
    await access(path, constants.W_OK);
  } catch (error) {
    const state = isReadOnly(error) ? 'readOnly' : 'failing';
    return { state, detail: `${path} cannot be written to: ${(error as Error).message}` };
  }
  const { bavail, bsize } = await statfs(dirname(path));
  if (bavail * bsize >= FREE_BYTES_MIN) return null;
  return { state: 'full', detail: `${bavail * bsize} bytes are left on the disk of ${path}` };
}

function isReadOnly(error: unknown): boolean {
  return ['EROFS', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** A write that says nothing, large enough to need room. */
export function probeDisk({ connection, now }: Work): void {
  connection.sql('put_meta').run('probe', String(now).padEnd(PROBE_CHARS));
}

/** The damage that a process has found in this file; null where none has. */
export function notedDamage({ connection }: Work): string | null {
  return (connection.sql('meta').get('damage')?.['value'] ?? null) as string | null;
}

export function noteDamage({ connection }: Work, detail: string): void {
  connection.sql('add_meta').run('damage', detail);
}
