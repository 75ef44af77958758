// Work that several processes of a run may want done, and that one of them must do alone.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inRepository } from './repository.ts';

const LOOK_MS = 100;
const WAIT_MS_MAX = 10 * 60_000;
/** A lock without a pid is of a process between its two system calls, or that died there. */
const UNSIGNED_MS_MAX = 5_000;

function take(lock: string): boolean {
  try {
    mkdirSync(lock);
    writeFileSync(join(lock, 'pid'), String(process.pid));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isStale(lock: string, waitedMs: number): boolean {
  let pid = 0;
  try {
    pid = Number(readFileSync(join(lock, 'pid'), 'utf8'));
  } catch {
    return waitedMs > UNSIGNED_MS_MAX;
  }
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
}

/** Waits until no other process does work of this name, then does it. */
export async function oneAtATime<Value>(name: string, work: () => Promise<Value>): Promise<Value> {
  const lock = inRepository('.cache', `${name}.lock`);
  mkdirSync(inRepository('.cache'), { recursive: true });
  const startedAt = performance.now();
  while (!take(lock)) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > WAIT_MS_MAX) {
      throw new Error(`gave up waiting for "${name}"; if nothing does it, remove ${lock}`);
    }
    if (isStale(lock, waitedMs)) rmSync(lock, { recursive: true, force: true });
    else await delay(LOOK_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}
