// Work that several processes of a run may want done, and that one of them must do alone.
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { inRepository } from './repository.ts';

const LOOK_MS = 100;
const WAIT_MS_MAX = 10 * 60_000;

// The lock appears with its owner's pid in it, so nobody ever sees one that has no owner yet.
function take(lock: string): boolean {
  const signed = `${lock}.${process.pid}`;
  writeFileSync(signed, String(process.pid));
  try {
    linkSync(signed, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(signed);
  }
}

function isStale(lock: string): boolean {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Waits until no other process does work of this name, then does it. */
export async function oneAtATime<Value>(name: string, work: () => Promise<Value>): Promise<Value> {
  const lock = inRepository('.cache', `${name}.lock`);
  mkdirSync(inRepository('.cache'), { recursive: true });
  const startedAt = performance.now();
  while (!take(lock)) {
    if (performance.now() - startedAt > WAIT_MS_MAX) {
      throw new Error(`gave up waiting for "${name}"; if nothing does it, remove ${lock}`);
    }
    if (isStale(lock)) rmSync(lock, { force: true });
    else await delay(LOOK_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}
