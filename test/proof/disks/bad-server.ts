// A PostgreSQL of its own whose disk is full, slow or fails, under the feet of a platform.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { FleetDatabase } from '../fleet/database.ts';
import { pause } from '../fleet/fault.ts';
import { buildShim, Shim } from '../fleet/shim.ts';
import { isBack } from '../fleet/store-faults.ts';
import { nothingPromised, Platform, type Promised } from './platform.ts';
import type { Played } from './play.ts';

type Act = (platform: Platform) => Promise<void>;

interface ServerFault {
  readonly name: string;
  /** What is on the disk that goes bad. */
  readonly disk: true | 'wal';
  /** What `/readyz` may say meanwhile; a server may also end by such a fault. */
  readonly states: readonly string[];
  begin(database: FleetDatabase): Promise<void>;
  end(database: FleetDatabase): void;
}

const { EIO, ENOSPC } = constants.errno;
const NEVER = 1_000_000_000;
const DOWN = 'unreachable';

/** More than WAL segments have room for, and nothing that can be compressed. */
const LARGE = randomBytes(3_000_000).toString('base64');
const LARGE_COUNT = 12;

function failing(name: string, error: number, states: readonly string[]): ServerFault {
  return {
    name,
    disk: true,
    states: [...states, DOWN],
    begin: async ({ shim }) => shim!.set('writeError', error),
    end: ({ shim }) => shim!.set('writeError', 0),
  };
}

function filled(name: string, disk: true | 'wal'): ServerFault {
  return {
    name,
    disk,
    states: ['full', DOWN],
    begin: (database) => database.disk!.fill(),
    end: (database) => database.disk!.free(),
  };
}

const FAULTS: readonly ServerFault[] = [
  filled('a full disk', true),
  filled('a full disk of its log', 'wal'),
  failing('a disk over its quota', ENOSPC, ['full']),
  failing('a disk that fails to write', EIO, ['failing']),
  {
    name: 'a disk that fails to sync',
    disk: true,
    states: ['failing', DOWN],
    begin: async ({ shim }) => shim!.set('syncFailures', NEVER),
    end: ({ shim }) => shim!.set('syncFailures', 0),
  },
  {
    name: 'a slow disk',
    disk: true,
    states: ['ok'],
    begin: async ({ shim }) => shim!.set('syncDelayMs', 40),
    end: ({ shim }) => shim!.set('syncDelayMs', 0),
  },
];

const ACTS: Readonly<Record<string, Act>> = {
  enqueueing: (platform) => platform.enqueue('meanwhile'),
  claiming: (platform) => platform.claim(2),
  completing: (platform) => platform.complete(),
};

/** Writes until something is refused, or all was taken. */
async function press(platform: Platform, act: Act, { errors }: Promised): Promise<void> {
  await act(platform);
  for (let n = 0; n < LARGE_COUNT && errors.length === 0; n++) await platform.enqueue(LARGE);
}

async function isWritable(platform: Platform, { errors }: Promised): Promise<boolean> {
  const before = errors.length;
  await platform.enqueue('again');
  return errors.length === before;
}

/** So often may a server come back, say that it is well, and end at the next write. */
const RETURNS_MAX = 20;

/**
 * What `/readyz` says; null where it is right to say that all is well: a server that has ended and
 * come back has removed old parts of its log, and writes again. Who says so and refuses the next
 * write is asked anew, since each return of a server is a moment in which it was well.
 */
async function healthOf(
  platform: Platform,
  promised: Promised,
): Promise<{ status: number; store: string } | null> {
  for (let round = 0; ; round++) {
    const health = await platform.health();
    if (health.store !== 'ok' || round === RETURNS_MAX) return health;
    if (await isWritable(platform, promised)) return null;
  }
}

async function judgeMeanwhile(
  platform: Platform,
  { states }: ServerFault,
  promised: Promised,
): Promise<string[]> {
  const found: string[] = [];
  const isOk = states.includes('ok');
  if (isOk !== (promised.errors.length === 0)) {
    found.push(`${promised.errors.length} writes were refused`);
  }
  const health = isOk ? await platform.health() : await healthOf(platform, promised);
  if (health === null) return found;
  const { status, store } = health;
  if (!states.includes(store) || (status === 200) !== isOk) {
    found.push(`meanwhile /readyz said ${status} ${store}, not ${states.join(' or ')}`);
  }
  if (store === DOWN) return found;
  const isTold = (await platform.faults()).includes('disk');
  if (isTold === isOk) found.push(`the doctor ${isTold ? 'found a fault' : 'found nothing'}`);
  return found;
}

const LOOKS_MAX = 150;
const LOOK_MS = 200;

async function judgeAfter(platform: Platform, promised: Promised): Promise<string[]> {
  const found: string[] = [];
  let health = await platform.health();
  for (let look = 0; health.status !== 200 && look < LOOKS_MAX; look++) {
    await pause(LOOK_MS);
    health = await platform.health();
  }
  if (health.status !== 200) found.push(`afterwards /readyz said ${health.status} ${health.store}`);
  if ((await platform.faults()).includes('disk')) found.push('the doctor is not content');
  const before = promised.accepted.size;
  await platform.enqueue('after');
  if (promised.accepted.size === before) found.push('no job is accepted afterwards');
  return [...found, ...(await platform.broken(promised))];
}

async function playOne(database: FleetDatabase, fault: ServerFault, act: Act): Promise<string[]> {
  const promised = nothingPromised();
  const platform = await Platform.open(database.url, promised);
  for (let job = 0; job < 6; job++) await platform.enqueue({ job });
  await platform.claim(2);
  await platform.complete();
  const found: string[] = [];
  // A server that cannot write its log ends; its supervisor starts it again.
  database.member.mayEnd = true;
  await fault.begin(database);
  try {
    await press(platform, act, promised);
    found.push(...(await judgeMeanwhile(platform, fault, promised)));
  } finally {
    fault.end(database);
  }
  if (!database.member.isUp) await database.member.start();
  await isBack(database);
  found.push(...(await judgeAfter(platform, promised)));
  await platform.close();
  return found;
}

/** Each on a server of its own: what one fault leaves is not there for the next. */
export async function playBadServers(say: (one: Played) => void, only = ''): Promise<void> {
  const all = FAULTS.flatMap((fault) =>
    Object.entries(ACTS).map(([doing, act]) => ({ fault, act, name: nameOf(fault, doing) })),
  );
  for (const { fault, act, name } of all.filter((one) => one.name.includes(only))) {
    say({ name, found: await playOnServer(fault, act) });
  }
}

function nameOf({ name }: ServerFault, doing: string): string {
  return `PostgreSQL on ${name} while ${doing}`;
}

async function playOnServer(fault: ServerFault, act: Act): Promise<readonly string[]> {
  const work = mkdtempSync(join(tmpdir(), 'pawl-disks-'));
  // The shim knows files of databases by this ending, also of a folder.
  const folder = join(work, 'server.db');
  mkdirSync(folder);
  // The server runs as somebody else than root.
  chmodSync(work, 0o755);
  const built = buildShim(work);
  if ('reason' in built) throw new Error(built.reason);
  const shim = new Shim(built.library, join(work, 'page'));
  const database = await FleetDatabase.open({
    folder,
    shim,
    hasSmallDisk: fault.disk,
    megabytes: 300,
    settings: { max_wal_size: '64MB', wal_recycle: 'off' },
  });
  const found = await playOne(database, fault, act).catch((error: unknown) => [String(error)]);
  await database.close();
  rmSync(work, { recursive: true, force: true });
  return found;
}
