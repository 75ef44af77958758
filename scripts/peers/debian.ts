// Programs of Debian packages: the one that is there, or one that the machine can be given.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { oneAtATime } from '../run/one-at-a-time.ts';

const APT = '/usr/bin/apt-get';
const FOLDERS = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

export interface Program {
  /** Any of these will do. */
  readonly names: readonly string[];
  /** The Debian package that has one. */
  readonly package: string;
  /** Names a program of the user's own. */
  readonly variable: string;
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What the variable says, else what PATH and the usual places hold. */
function programHere({ names, variable }: Program): string | null {
  const said = process.env[variable];
  if (said !== undefined && said !== '') {
    if (canRun(said)) return said;
    throw new Error(`${variable} is ${said}, which cannot be run: name a ${names[0]}`);
  }
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...FOLDERS];
  const places = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return places.find(canRun) ?? null;
}

function install(name: string): void {
  process.stderr.write(`pawl: installing ${name}, which is needed here (once)\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const patient = ['-o', 'DPkg::Lock::Timeout=300', '-qq'];
  // The lists of a fresh machine are empty, and old ones name packages that are gone.
  spawnSync(APT, [...patient, 'update'], { env });
  spawnSync(APT, [...patient, 'install', '-y', '--no-install-recommends', name], { env });
}

/** Installs a package where that needs nobody's leave, unless what it brings is there. */
export async function installWithout(name: string, isThere: () => boolean): Promise<boolean> {
  if (isThere() || process.getuid?.() !== 0 || !canRun(APT)) return isThere();
  return oneAtATime(name, async () => {
    if (!isThere()) install(name);
    return isThere();
  });
}

/** The path of the program, installed where that needs nobody's leave; or null. */
export async function findProgram(program: Program): Promise<string | null> {
  await installWithout(program.package, () => programHere(program) !== null);
  return programHere(program);
}
