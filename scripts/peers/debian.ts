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

function install(program: Program): void {
  process.stderr.write(`pawl: installing ${program.package}, which a test needs (once)\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // The lists of a fresh machine are empty, and old ones name packages that are gone.
  spawnSync(APT, ['update', '-qq'], { env });
  spawnSync(APT, ['install', '-y', '-qq', '--no-install-recommends', program.package], { env });
}

/** The path of the program, installed where that needs nobody's leave; or null. */
export async function findProgram(program: Program): Promise<string | null> {
  const here = programHere(program);
  if (here !== null || process.getuid?.() !== 0 || !canRun(APT)) return here;
  return oneAtATime(program.package, async () => {
    if (programHere(program) === null) install(program);
    return programHere(program);
  });
}
