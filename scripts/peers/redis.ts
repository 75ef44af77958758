// A throw-away Redis: the one that is there, or one that the machine can be given.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../test/support/free-port.ts';
import { findProgram } from './debian.ts';

const TRIES = 5;

/** Ends the server when this process is gone, however it went: its end of the pipe closes. */
const KEEPER = '"$@" & cat > /dev/null; kill -9 $!';

/** For tests: nothing is written to the disk. */
const SETTINGS: Readonly<Record<string, string>> = { save: '', appendonly: 'no' };

export interface Redis {
  readonly url: string;
  /** Ends the server and removes every trace of it. */
  stop(): Promise<void>;
}

/** The path of a Redis server, installed where that needs nobody's leave; or null. */
export function findRedis(): Promise<string | null> {
  return findProgram({
    names: ['redis-server', 'valkey-server'],
    package: 'redis-server',
    variable: 'REDIS_SERVER_PATH',
  });
}

async function serve(path: string, settings: Readonly<Record<string, string>>): Promise<Redis> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-redis-'));
  const port = await freePort();
  const all = { ...SETTINGS, ...settings, port: String(port), bind: '127.0.0.1', dir: folder };
  const flags = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn('sh', ['-c', KEEPER, 'sh', path, ...flags], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const said: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    if (line.includes('Ready to accept connections')) {
      child.stdout.resume();
      return { url: `redis://127.0.0.1:${port}`, stop };
    }
    said.push(line);
  }
  await stop();
  throw new Error(`Redis did not start:\n${said.join('\n')}`);
}

/** Starts a server of its own on a free port; a benchmark hands in settings of its own. */
export async function startRedis(
  path: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Redis> {
  for (let tries = 1; ; tries++) {
    try {
      return await serve(path, settings);
    } catch (error) {
      // Somebody else may have taken the port between looking and starting.
      if (tries === TRIES) throw error;
    }
  }
}
