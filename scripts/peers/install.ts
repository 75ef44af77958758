// The queues that Pawl is measured beside and that jobs are moved from: packages of bench/, which
// are installed only where something needs them.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter } from 'node:path';
import { pathToFileURL } from 'node:url';
import { oneAtATime } from '../run/one-at-a-time.ts';
import { inRepository } from '../run/repository.ts';

type Packages = Readonly<
  Record<string, { readonly version?: string; readonly optional?: boolean }>
>;

const FOLDER = inRepository('bench');
const WORDS = ['install', '--no-save', '--ignore-scripts', '--no-fund', '--no-audit'];

function packagesIn(...path: string[]): Packages | null {
  try {
    const { packages } = JSON.parse(readFileSync(inRepository('bench', ...path), 'utf8'));
    return packages as Packages;
  } catch {
    return null;
  }
}

/** npm leaves a copy of the lock as the last act of an install. */
function isInstalled(): boolean {
  const present = packagesIn('node_modules', '.package-lock.json');
  const wanted = Object.entries(packagesIn('package-lock.json') ?? {});
  return wanted.every(([path, { version, optional }]) => {
    if (path === '') return true;
    const found = present?.[path];
    return found === undefined ? optional === true : found.version === version;
  });
}

function install(): void {
  process.stderr.write('pawl: installing the peers in bench/ (once)\n');
  // The repository's own tools leave PATH: npm is to run with the Node that it came with.
  const tools = inRepository('node_modules', '.bin');
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== tools);
  const { status, stdout, stderr } = spawnSync('npm', WORDS, {
    cwd: FOLDER,
    env: { ...process.env, PATH: path.join(delimiter) },
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0)
    throw new Error(`the packages of bench/ could not be installed:\n${stdout}${stderr}`);
}

/** Makes sure that bench/node_modules holds what its lock names; answers with the folder bench/. */
export async function installPeers(): Promise<string> {
  if (!isInstalled()) {
    await oneAtATime('peers', async () => {
      if (!isInstalled()) install();
    });
  }
  return FOLDER;
}

/** A peer's library as bench/ resolves it; its types are the caller's to name. */
export async function importPeer<Library>(name: string): Promise<Library> {
  const folder = await installPeers();
  const path = createRequire(`${folder}/`).resolve(name);
  return (await import(pathToFileURL(path).href)) as Library;
}
