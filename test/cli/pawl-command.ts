// The command line as a user has it: a process of its own, against a platform that listens.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { type Platform, startPlatform } from '@pawl/server/internal/app/platform';
import { ApiClient } from 'pawl/client';
import { childEnvironment } from '../../scripts/run/child-environment.ts';

export const cliPath: string = fileURLToPath(
  new URL('../../packages/pawl/src/cli/main.ts', import.meta.url),
);
const jobsPath = fileURLToPath(new URL('../../examples/quick-start/jobs.ts', import.meta.url));

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Fixture {
  readonly platform: Platform;
  readonly client: ApiClient;
  readonly folder: string;
  close(): Promise<void>;
  /** Runs `pawl` with these words; `input` goes to its standard input. */
  pawl(words: readonly string[], more?: { env?: NodeJS.ProcessEnv; input?: string }): Promise<Run>;
}

/** A platform on SQLite in a folder of its own, or on cells, with the jobs of the quick start. */
export async function openFixture(cells: readonly string[] = []): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-cli-'));
  const named = cells.map((name) => `${name}=${join(folder, name)}`).join(' ');
  const several = named === '' ? {} : { PAWL_CELLS: named };
  const env = { PORT: '0', PAWL_DATA: join(folder, 'data'), PAWL_JOBS: jobsPath, ...several };
  const platform = await startPlatform(readConfiguration(env), { warn: () => undefined });
  return {
    platform,
    folder,
    close: async () => {
      await platform.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    client: new ApiClient({ url: platform.url }),
    pawl: (words, more = {}) => runPawl(words, { ...more, url: platform.url }),
  };
}

export async function runPawl(
  words: readonly string[],
  { url, env = {}, input = '' }: { url: string; env?: NodeJS.ProcessEnv; input?: string },
): Promise<Run> {
  const child = spawn(process.execPath, [cliPath, ...words], {
    env: { ...childEnvironment, PAWL_URL: url, ...env },
  });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, stdout, stderr };
}
