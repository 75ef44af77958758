// A disk that goes bad at one moment and recovers: nothing promised may be lost, and the health
// must be right meanwhile and afterwards.
import { existsSync } from 'node:fs';
import { backupDatabase } from 'pawl/internal/store/sqlite/backup';
import { StoreError } from 'pawl/internal/store/store-error';
import type { Disk, DiskFault } from './disk.ts';
import { nothingPromised, Platform, type Promised } from './platform.ts';

const MOMENTS = [
  'at opening',
  'while enqueueing',
  'while claiming',
  'while completing',
  'at a checkpoint',
  'during a backup',
] as const;

export type Moment = (typeof MOMENTS)[number];

/** More than the write-ahead log may hold before it is moved into the database. */
const LARGE = 'x'.repeat(5_000_000);

interface Stage {
  readonly disk: Disk;
  readonly fault: DiskFault;
  readonly path: string;
  readonly promised: Promised;
  readonly found: string[];
  platform: Platform;
}

async function reopen(stage: Stage): Promise<void> {
  stage.platform = await Platform.open(stage.path, stage.promised);
}

/** An attempt to open it meanwhile either succeeds or says what is wrong. */
async function openBadly(stage: Stage): Promise<void> {
  try {
    const early = await Platform.open(stage.path, stage.promised);
    await early.close();
  } catch (error) {
    if (!(error instanceof StoreError) || error.trouble === null) {
      stage.found.push(`opening said only: ${String(error)}`);
    }
  }
}

function backUp({ path, found, fault }: Stage, isBad: boolean): void {
  const to = `${path}.copy${Number(isBad)}`;
  try {
    backupDatabase({ from: path, to });
  } catch (error) {
    if (!isBad || fault.state === 'ok') found.push(`the backup failed: ${String(error)}`);
    if (existsSync(to)) found.push('a backup that failed is there');
  }
}

async function act(stage: Stage, moment: Moment): Promise<void> {
  const { disk, fault, platform } = stage;
  if (moment === 'at opening') {
    await platform.close();
    fault.begin(disk);
    await openBadly(stage);
    fault.end(disk);
    await reopen(stage);
    fault.begin(disk);
  }
  if (moment === 'at a checkpoint') {
    await platform.enqueue(LARGE);
    disk.shim.set('onlyDatabase', 1);
    fault.begin(disk);
    await platform.enqueue(LARGE);
    disk.shim.set('onlyDatabase', 0);
  }
  if (moment.startsWith('while') || moment === 'during a backup') fault.begin(disk);
  if (moment === 'during a backup') backUp(stage, true);
  if (moment === 'while claiming') await platform.claim(2);
  if (moment === 'while completing') await platform.complete();
  await stage.platform.enqueue('y'.repeat(100_000));
}

async function judgeMeanwhile({ platform, fault, found, promised }: Stage): Promise<void> {
  const { status, store } = await platform.health();
  const wanted = [fault.state === 'ok' ? 200 : 503, fault.state];
  if (status !== wanted[0] || store !== wanted[1]) {
    found.push(`meanwhile /readyz said ${status} ${store}, not ${wanted.join(' ')}`);
  }
  const faults = await platform.faults();
  if (faults.includes('disk') !== (fault.state !== 'ok')) {
    found.push(`meanwhile the doctor found: ${faults.join(', ') || 'nothing'}`);
  }
  for (const { outcome, trouble, message } of promised.errors) {
    if (trouble === null) found.push(`an error does not say what is wrong: ${message}`);
    if (outcome === 'refused' || (outcome === 'unknown' && !fault.mayBeUnknown)) {
      found.push(`the outcome of a write was ${outcome}: ${message}`);
    }
  }
}

async function judgeAfter(stage: Stage): Promise<void> {
  const { found, promised } = stage;
  const { status, store } = await stage.platform.health();
  if (status !== 200) found.push(`afterwards /readyz said ${status} ${store}`);
  if ((await stage.platform.faults()).includes('disk')) found.push('the doctor is not content');
  const before = promised.accepted.size;
  await stage.platform.enqueue('after');
  if (promised.accepted.size === before) found.push('no job is accepted afterwards');
  backUp(stage, false);
  await stage.platform.close();
  await reopen(stage);
  found.push(...(await stage.platform.broken(promised)));
}

async function play(disk: Disk, fault: DiskFault, moment: Moment): Promise<string[]> {
  const path = `${disk.folder}/${fault.name}-${moment}.db`.replaceAll(' ', '-');
  const promised = nothingPromised();
  const platform = await Platform.open(path, promised);
  const stage: Stage = { disk, fault, path, promised, found: [], platform };
  for (let job = 0; job < 6; job++) await platform.enqueue({ job });
  await platform.claim(2);
  await platform.complete();
  try {
    await act(stage, moment);
    await judgeMeanwhile(stage);
  } finally {
    fault.end(disk);
  }
  await judgeAfter(stage);
  await stage.platform.close();
  return stage.found;
}

export interface Variant {
  readonly name: string;
  readonly run: (disk: Disk) => Promise<string[]>;
}

export function momentsOf(fault: DiskFault): Variant[] {
  return MOMENTS.map((moment) => ({
    name: `a disk that is ${fault.name} ${moment}`,
    run: (disk) => play(disk, fault, moment),
  }));
}
