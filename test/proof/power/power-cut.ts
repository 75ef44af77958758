// Cuts the power of a disk under a writing process: see power-cut.sh and power-cut-postgres.sh.
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { serverAccount } from '../../support/postgres/account.ts';
import { reachableBinaries } from '../../support/postgres/cluster.ts';
import { findInstallations } from '../../support/postgres/installations.ts';

const scriptOf = {
  sqlite: fileURLToPath(new URL('power-cut.sh', import.meta.url)),
  postgres: fileURLToPath(new URL('power-cut-postgres.sh', import.meta.url)),
} as const;
const writer = fileURLToPath(new URL('writer.ts', import.meta.url));
const survivors = fileURLToPath(new URL('survivors.ts', import.meta.url));
const NAMESPACE = 'unshare';

/** Why it cannot be done here; null where it can. */
export function whyNotHere(): string | null {
  if (process.platform !== 'linux') return 'it needs Linux';
  if (process.getuid?.() !== 0) return 'it needs root, for mounts in a namespace of their own';
  const first = 'mount -t tmpfs t /mnt && truncate -s 16M /mnt/i && mkfs.ext4 -qF /mnt/i';
  const more = 'mkdir /mnt/d && mount -o loop /mnt/i /mnt/d && umount /mnt/d';
  const tried = spawnSync(NAMESPACE, ['--mount', 'sh', '-c', `${first} && ${more}`]);
  return tried.status === 0 ? null : 'it needs unshare, mkfs.ext4 and loop mounts';
}

export interface PowerCut {
  readonly acknowledged: number;
  readonly lost: number;
  /** What is wrong beside jobs that are not there. */
  readonly damage: readonly string[];
}

interface Told {
  readonly acks: string;
  readonly after: { ids: string[]; integrity: string; violations: object[] } | { failed: true };
}

export type PoweredStore = keyof typeof scriptOf;

export interface CutOptions {
  readonly store: PoweredStore;
  /** `normal`: a commit does not wait for the disk. */
  readonly setting: 'full' | 'normal';
  readonly wanted: number;
}

/** At least `wanted` acknowledged jobs, then the cut, then a look at what the disk has kept. */
export async function cutPower({ store, setting, wanted }: CutOptions): Promise<PowerCut> {
  const work = mkdtempSync(join(tmpdir(), 'pawl-power-'));
  const args = [work, process.execPath, writer, survivors, setting, String(wanted)];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  try {
    const { stdout } = await promisify(execFile)(
      NAMESPACE,
      ['--mount', 'sh', scriptOf[store], ...args, ...(store === 'postgres' ? serverOf(work) : [])],
      { env, maxBuffer: 64 * 1024 * 1024 },
    );
    const { acks, after } = JSON.parse(stdout) as Told;
    const told = acks.split(' ').filter((id) => id !== '');
    if ('failed' in after) return { acknowledged: told.length, lost: told.length, damage: [] };
    const kept = new Set(after.ids);
    const damage = after.violations.map((violation) => JSON.stringify(violation));
    if (after.integrity !== 'ok') damage.push(`integrity: ${after.integrity}`);
    const lost = told.filter((id) => !kept.has(id)).length;
    return { acknowledged: told.length, lost, damage };
  } finally {
    for (const folder of [work, `${work}-native`]) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Where the newest PostgreSQL is, and as whom it runs. */
function serverOf(work: string): readonly string[] {
  const installation = findInstallations().at(-1);
  if (installation === undefined) throw new Error('no PostgreSQL 15 or newer was found');
  const account = serverAccount()!;
  // Beside and not within, where the disk will hide it.
  const bin = reachableBinaries(installation.binFolder, nativeOf(work), account);
  return [bin, String(account.uid), String(account.gid)];
}

function nativeOf(work: string): string {
  const folder = `${work}-native`;
  mkdirSync(folder, { mode: 0o755 });
  return folder;
}

const TRIES_MAX = 3;
/** Few enough that the store does not yet move its log into the database, which syncs. */
const FEW_JOBS = 60;

/** The same with the weaker setting. A sync of the machine can save it, so it is repeated. */
export async function cutPowerWeakly(store: PoweredStore): Promise<PowerCut> {
  for (let tries = 1; ; tries++) {
    const found = await cutPower({ store, setting: 'normal', wanted: FEW_JOBS });
    if (found.lost > 0 || tries === TRIES_MAX) return found;
  }
}
