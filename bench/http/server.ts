import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { treeUsage } from '../peers/process-tree.ts';
import type { Plot } from './ground.ts';
import { childEnvironment } from '../../scripts/run/child-environment.ts';

const PROGRAM = fileURLToPath(new URL('../../packages/pawl/src/cli/main.ts', import.meta.url));
const RUNNING = 'Pawl is running';

/** As it is run by default, but asking for keys, without a limit of requests, and without jobs. */
const SETTINGS = {
  PORT: '0',
  PAWL_AUTH: 'on',
  PAWL_REQUESTS_PER_SECOND: '0',
  PAWL_BUILTIN: 'off',
  LOG_FORMAT: 'json',
};

/** What a server has used of the machine; null where that cannot be known. */
export interface Usage {
  readonly cpuMicros: number | null;
  readonly rssBytes: number | null;
}

/** `pawl start` in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  /** Of an admin. */
  readonly key: string;
  usage(): Usage;
  stop(): Promise<void>;
}

export async function startServer(
  plot: Plot,
  more: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const child = spawn(process.execPath, ['--no-warnings', PROGRAM, 'start'], {
    env: { ...childEnvironment, ...SETTINGS, ...plot.env, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { url, firstKeyFile } = await running(child);
  return {
    url,
    key: readFileSync(firstKeyFile, 'utf8').trim(),
    usage: () => treeUsage(child.pid!),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

interface Told {
  readonly url: string;
  readonly firstKeyFile: string;
}

/** Reads its log, as somebody does in production, and finds there where it listens. */
function running(child: ChildProcess): Promise<Told> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended (${code}) while starting`)));
    createInterface(child.stdout!).on('line', (line) => {
      if (!line.includes(RUNNING)) return;
      resolve(JSON.parse(line) as Told);
    });
  });
}
