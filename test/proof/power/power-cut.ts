// Cuts the power of a disk under a writing process: see power-cut.sh for how.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const script = fileURLToPath(new URL('power-cut.sh', import.meta.url));
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

/** At least `wanted` acknowledged jobs, then the cut, then a look at what the disk has kept. */
export async function cutPower(setting: 'full' | 'normal', wanted: number): Promise<PowerCut> {
  const work = mkdtempSync(join(tmpdir(), 'pawl-power-'));
  const args = [work, process.execPath, writer, survivors, setting];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  try {
    const { stdout } = await promisify(execFile)(
      NAMESPACE,
      ['--mount', 'sh', script, ...args, String(wanted)],
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
    rmSync(work, { recursive: true, force: true });
  }
}

const TRIES_MAX = 3;
/** Few enough that the store does not yet move its log into the database, which syncs. */
const FEW_JOBS = 60;

/** The same with the weaker setting. A sync of the machine can save it, so it is repeated. */
export async function cutPowerWeakly(): Promise<PowerCut> {
  for (let tries = 1; ; tries++) {
    const found = await cutPower('normal', FEW_JOBS);
    if (found.lost > 0 || tries === TRIES_MAX) return found;
  }
}
