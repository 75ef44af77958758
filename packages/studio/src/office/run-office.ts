import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PROFILE } from './profile.ts';

/** What LibreOffice is asked to make of a file. */
export interface OfficeOrder {
  readonly bytes: Uint8Array;
  /** How names of such files end. */
  readonly extension: string;
  /** The filter, as `--convert-to` takes it; it begins with the extension of what is made. */
  readonly to: string;
  readonly signal?: AbortSignal | undefined;
}

/** What it made, or why it made nothing. */
export type OfficeAnswer =
  | { readonly made: Buffer }
  | { readonly failed: 'late' | 'unreadable'; readonly what: string };

const NAMES = ['soffice', 'libreoffice'];
const FOLDERS = [
  '/usr/bin',
  '/usr/local/bin',
  '/opt/libreoffice/program',
  '/Applications/LibreOffice.app/Contents/MacOS',
];

/** Where LibreOffice is: as `PAWL_LIBREOFFICE` says, or where it usually is; null for nowhere. */
export function findOffice(env: NodeJS.ProcessEnv = process.env): string | null {
  const said = env['PAWL_LIBREOFFICE'] ?? '';
  if (said === 'off') return null;
  if (said !== '') return canRun(said) ? said : null;
  const folders = [...(env['PATH'] ?? '').split(delimiter), ...FOLDERS];
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(canRun) ?? null;
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const TIMEOUT_MS = 60_000;
const MEMORY_KB = 4 * 1024 ** 2;
/** In blocks of 512 bytes. */
const FILE_BLOCKS = 1024 ** 2;
const SAID_MAX = 300;

/** Bounds what follows, and ends all of it when whoever started it is gone and its pipe closes. */
const GUARD = [
  `ulimit -v ${MEMORY_KB}; ulimit -t ${TIMEOUT_MS / 1_000}; ulimit -f ${FILE_BLOCKS}; ulimit -c 0`,
  'exec 3<&0; ( read -r _ <&3; kill -9 0 ) 2>/dev/null &',
  '"$@" </dev/null 3<&-; code=$?; kill $! 2>/dev/null; exit $code',
].join('\n');

/** Whether a process can be given a network of its own, in which there is nobody. */
let alone: boolean | null = null;
function withoutNetwork(): readonly string[] {
  alone ??= spawnSync('unshare', ['-rn', 'true'], { stdio: 'ignore' }).status === 0;
  return alone ? ['unshare', '-rn'] : [];
}

/**
 * Has LibreOffice make one file of another: in a process and with a profile of its own, which
 * both end with it, so that no file can do anything to the next one.
 */
export async function runOffice(path: string, order: OfficeOrder): Promise<OfficeAnswer> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-office-'));
  try {
    const user = join(folder, 'profile', 'user');
    await mkdir(user, { recursive: true });
    await writeFile(join(user, 'registrymodifications.xcu'), PROFILE);
    const source = join(folder, `source.${order.extension}`);
    await writeFile(source, order.bytes);
    const said = await run(path, source, { folder, order });
    if (said === null) {
      return { failed: 'late', what: `LibreOffice took longer than ${TIMEOUT_MS} ms` };
    }
    const made = join(folder, 'made', `source.${order.to.split(':')[0]}`);
    return await readFile(made).then(
      (bytes): OfficeAnswer => ({ made: bytes }),
      (): OfficeAnswer => ({ failed: 'unreadable', what: `LibreOffice made nothing: ${said}` }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** What it said, or null where its time was over. */
async function run(
  path: string,
  source: string,
  { folder, order }: { readonly folder: string; readonly order: OfficeOrder },
): Promise<string | null> {
  const { signal, to } = order;
  signal?.throwIfAborted();
  const profile = pathToFileURL(join(folder, 'profile')).href;
  const words = [
    `-env:UserInstallation=${profile}`,
    '--headless',
    '--norestore',
    '--nolockcheck',
    '--nodefault',
    '--nofirststartwizard',
    '--convert-to',
    to,
    '--outdir',
    join(folder, 'made'),
    source,
  ];
  const guarded = ['-c', GUARD, 'office', ...withoutNetwork(), path, ...words];
  const { said, isLate } = await ended(guarded, folder, signal);
  signal?.throwIfAborted();
  return isLate ? null : said.replaceAll(folder, '').trim() || 'it said nothing';
}

/** Runs a shell to its end, or to the end of its time. */
async function ended(
  words: readonly string[],
  folder: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly said: string; readonly isLate: boolean }> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8' };
  // A group of its own, so that its children end with it.
  const child = spawn('/bin/sh', words, { cwd: folder, env, detached: true });
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It was faster.
    }
  };
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, TIMEOUT_MS);
  signal?.addEventListener('abort', end);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-SAID_MAX)));
  }
  child.stdin.on('error', () => undefined);
  const { promise, resolve } = Promise.withResolvers<void>();
  child.on('close', () => resolve());
  child.on('error', (error) => {
    said = error.message;
    resolve();
  });
  await promise;
  clearTimeout(timer);
  signal?.removeEventListener('abort', end);
  return { said, isLate };
}
