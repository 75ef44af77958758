// A Chromium for the tests: the one that is there, or one that the machine can be given.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { oneAtATime } from '../../../scripts/run/one-at-a-time.ts';

/** The headless build comes first: it draws the same pages with half of the processor time. */
const NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];
/** Older releases of Debian lack the first. */
const PACKAGES = ['chromium-headless-shell', 'chromium'];
const FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/google/chrome'];
const APT = '/usr/bin/apt-get';
const APPLICATIONS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What CHROMIUM_PATH says, else what PATH and the usual places hold. */
export function chromiumHere(env: NodeJS.ProcessEnv = process.env): string | null {
  const said = env['CHROMIUM_PATH'];
  if (said !== undefined && said !== '') {
    if (canRun(said)) return said;
    throw new Error(`CHROMIUM_PATH is ${said}, which cannot be run: name a Chromium or unset it`);
  }
  const folders = [...(env['PATH'] ?? '').split(delimiter), ...FOLDERS];
  const places = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...places, ...APPLICATIONS].find(canRun) ?? null;
}

function isDebianRoot(): boolean {
  return process.getuid?.() === 0 && canRun(APT);
}

function apt(...words: string[]): string | null {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, stderr } = spawnSync(APT, words, { env, encoding: 'utf8' });
  return status === 0 ? null : stderr;
}

function install(): void {
  process.stderr.write('pawl: installing Chromium for the tests of the dashboard (once)\n');
  const words = ['install', '-y', '-qq', '--no-install-recommends'];
  // The lists of a fresh machine are empty, and old ones name packages that are gone; one source of
  // several that does not answer need not matter.
  const stale = apt('update', '-qq') ?? '';
  const faults: string[] = [];
  for (const name of PACKAGES) {
    const fault = apt(...words, name);
    if (fault === null) return;
    faults.push(fault);
  }
  throw new Error(`Chromium could not be installed:\n${stale}${faults.join('')}`);
}

/** The path of a Chromium; installs one where that needs nobody's leave. */
export async function findChromium(): Promise<string> {
  const here = chromiumHere();
  if (here !== null) return here;
  if (!isDebianRoot()) {
    throw new Error(
      'the tests of the dashboard need a Chromium, and none was found: install one ' +
        '(Debian: apt-get install chromium) or name it in CHROMIUM_PATH',
    );
  }
  return oneAtATime('chromium', async () => {
    if (chromiumHere() === null) install();
    const found = chromiumHere();
    if (found !== null) return found;
    throw new Error('Chromium was installed but is not found: name it in CHROMIUM_PATH');
  });
}
