// Plays variants of bad disks in a process with a disk of its own; see subject.ts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildShim } from '../fleet/shim.ts';
import { whyNoSmallDisk } from '../fleet/small-disk.ts';

const subject = fileURLToPath(new URL('subject.ts', import.meta.url));
const MEGABYTES = 200;
const NAMESPACE = 'unshare';

export interface Played {
  readonly name: string;
  /** What went wrong; empty where nothing did. */
  readonly found: readonly string[];
}

/** Why bad disks cannot be had here; null where they can. */
export function whyNoBadDisks(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-disks-'));
  const shim = buildShim(folder);
  rmSync(folder, { recursive: true, force: true });
  return 'reason' in shim ? shim.reason : whyNoSmallDisk();
}

/** All of them, or those that are named. */
export async function play(names: readonly string[], say: (one: Played) => void): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'pawl-disks-'));
  const [folder, page] = [join(work, 'disk'), join(work, 'page')];
  const shim = buildShim(work);
  if ('reason' in shim) throw new Error(shim.reason);
  mkdirSync(folder);
  writeFileSync(page, Buffer.alloc(4_096));
  const mount = `mount -t tmpfs -o size=${MEGABYTES}m tmpfs '${folder}'`;
  const script = `${mount} && exec "$@"`;
  const args = ['--mount', 'sh', '-c', script, 'sh', 'env', `LD_PRELOAD=${shim.library}`];
  const own = [`PROOF_SHIM=${page}`, process.execPath, ...process.execArgv, subject, folder, page];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(NAMESPACE, [...args, ...own, ...names], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    for await (const line of createInterface(child.stdout)) say(JSON.parse(line) as Played);
    const code = child.exitCode ?? (await once(child, 'exit'))[0];
    if (code !== 0) throw new Error(`the process on the bad disk ended with ${String(code)}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
