// Frameworks are installed for the tests of their examples, not with the repository.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What npm says when the registry cannot be reached. */
const AWAY = /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENOTCACHED|ERR_SOCKET_TIMEOUT/;

/** npm and what it starts run with the Node of the test. */
export const nodePath = [dirname(process.execPath), process.env['PATH']].join(delimiter);

/** False if the packages are neither in the registry nor in npm's cache. */
export async function installIn(
  folder: string,
  dependencies: Readonly<Record<string, string>>,
): Promise<boolean> {
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, type: 'module', dependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
  const env = { ...process.env, PATH: nodePath };
  try {
    await run('npm', ['install', ...flags], { cwd: folder, env });
    return true;
  } catch (error) {
    if (AWAY.test((error as { stderr: string }).stderr)) return false;
    throw error;
  }
}
