// Bits that flip on a disk, and disks that lose what they have confirmed: it must be reported.
import {
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { backupDatabase } from 'pawl/internal/store/sqlite/backup';
import type { Disk } from './disk.ts';
import type { Variant } from './moments.ts';
import { nothingPromised, Platform } from './platform.ts';

const ROUNDS_MAX = 12;
const FILES = ['', '-wal'] as const;

/** What is flipped: a bit in the bytes of a text, or of a page's header. */
const FLIPPED: Readonly<Record<string, (bytes: Buffer) => number>> = {
  'an input': (bytes) => bytes.indexOf('input-of-job'),
  'the last letter of an input': (bytes) => bytes.lastIndexOf('input-of-job') + 11,
  'a result': (bytes) => bytes.indexOf('result-of-job'),
  'an entry of the log': (bytes) => bytes.indexOf('worker:worker-1'),
  'the head of a page': (bytes) => pageOf(bytes, 'input-of-job') + 3,
  'the kind of a page': (bytes) => pageOf(bytes, 'result-of-job'),
};

const PAGE = 4_096;

function pageOf(bytes: Buffer, text: string): number {
  return Math.floor(bytes.indexOf(text) / PAGE) * PAGE;
}

async function made(path: string): Promise<string[]> {
  const promised = nothingPromised();
  const platform = await Platform.open(path, promised);
  for (let job = 0; job < 6; job++) await platform.enqueue({ marked: 'input-of-job', job });
  await platform.claim(3);
  await platform.complete();
  await platform.close();
  backupDatabase({ from: path, to: `${path}.copy` });
  return promised.errors.map((error) => `before: ${error.message}`);
}

function flip(path: string, find: (bytes: Buffer) => number): void {
  const bytes = readFileSync(path);
  const at = find(bytes);
  if (at < 0) throw new Error('what is to be flipped is not in the file');
  bytes[at] = bytes[at]! ^ 4;
  writeFileSync(path, bytes);
}

/** Either it is not opened at all, or the sweep finds it and nothing is written from then on. */
async function foundBySweep(path: string): Promise<string[]> {
  const promised = nothingPromised();
  const found: string[] = [];
  for (const life of ['first', 'next']) {
    let platform;
    try {
      platform = await Platform.open(path, promised);
    } catch (error) {
      if (/damaged, restore a backup/.test(String(error))) continue;
      throw error;
    }
    for (let round = 0; round < ROUNDS_MAX; round++) await platform.sweep().catch(() => undefined);
    const { status, store } = await platform.health();
    if (status !== 503 || store !== 'damaged') found.push(`${life} life: ${status} ${store}`);
    if (!(await platform.faults()).includes('disk')) found.push(`${life} life: no finding`);
    const before = promised.accepted.size;
    await platform.enqueue('too late');
    if (promised.accepted.size > before) found.push(`${life} life: a job was accepted`);
    await platform.close();
  }
  return found;
}

async function restored(path: string): Promise<string[]> {
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  copyFileSync(`${path}.copy`, path);
  const platform = await Platform.open(path, nothingPromised());
  const { status, store } = await platform.health();
  await platform.close();
  return status === 200 ? [] : [`after the restore: ${status} ${store}`];
}

const flips: readonly Variant[] = Object.entries(FLIPPED).map(([what, find]) => ({
  name: `a flipped bit in ${what}`,
  run: async ({ folder }: Disk) => {
    const path = `${folder}/flip-${what}.db`.replaceAll(' ', '-');
    const found = await made(path);
    flip(path, find);
    found.push(...(await foundBySweep(path)));
    const late = `${path}.late`;
    try {
      backupDatabase({ from: path, to: late });
      found.push('damage was backed up');
    } catch {
      if (existsSync(late)) found.push('a backup of damage is there');
    }
    found.push(...(await restored(path)));
    return found;
  },
}));

/** What the disk really holds when the power goes: `kept` is what it held some commits before. */
const LIES: Readonly<Record<string, (path: string) => void>> = {
  'nothing of the last commits': (path) => {
    for (const end of FILES) copyFileSync(`${path}.kept${end}`, `${path}${end}`);
  },
  'half of the log': (path) => {
    copyFileSync(`${path}.kept`, path);
    truncateSync(`${path}-wal`, Math.floor(readFileSync(`${path}-wal`).length / 2));
  },
  'nothing of the log': (path) => {
    copyFileSync(`${path}.kept`, path);
    rmSync(`${path}-wal`);
  },
  'zeros at the end of the log': (path) => {
    const bytes = readFileSync(`${path}-wal`);
    bytes.fill(0, readFileSync(`${path}.kept-wal`).length);
    writeFileSync(`${path}-wal`, bytes);
  },
};

const lies: readonly Variant[] = Object.entries(LIES).map(([what, lose]) => ({
  name: `a disk that lies about syncs and keeps ${what}`,
  run: async ({ folder }: Disk) => {
    const path = `${folder}/lie-${what}.db`.replaceAll(' ', '-');
    const promised = nothingPromised();
    const platform = await Platform.open(path, promised);
    for (let job = 0; job < 6; job++) await platform.enqueue({ job });
    for (const end of FILES) copyFileSync(`${path}${end}`, `${path}.kept${end}`);
    for (let job = 0; job < 20; job++) await platform.enqueue({ job });
    for (const end of FILES) copyFileSync(`${path}${end}`, `${path}.then${end}`);
    copyFileSync(`${path}.mark`, `${path}.then.mark`);
    await platform.close();
    rmSync(`${path}-shm`, { force: true });
    for (const end of [...FILES, '.mark']) copyFileSync(`${path}.then${end}`, `${path}${end}`);
    lose(path);
    let after;
    try {
      after = await Platform.open(path, nothingPromised());
    } catch (error) {
      return /damaged, restore a backup/.test(String(error)) ? [] : [String(error)];
    }
    const isLost = (await after.broken(promised)).some((one) => one.includes('is lost'));
    const faults = await after.faults();
    await after.close();
    if (!isLost) return ['nothing was lost: this proves nothing'];
    return faults.includes('lost commits') ? [] : [`the loss is not told: ${faults.join(', ')}`];
  },
}));

export const FLIPS: readonly Variant[] = [...flips, ...lies];
