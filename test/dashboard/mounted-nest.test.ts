// The example for NestJS with the real framework. It is installed for this test, not for everybody
// who works on the repository: a hundred packages that nothing else needs.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { buildDashboard } from '../../scripts/build-dashboard.ts';
import { childEnvironment } from '../../scripts/run/child-environment.ts';
import { runTool } from '../../scripts/run/command.ts';
import { inRepository } from '../../scripts/run/repository.ts';
import { findChromium } from '../support/browser/find-chromium.ts';
import { browseMounted } from '../support/browser/mounted.ts';

const run = promisify(execFile);

/** Below the repository, whose packages are found from there; kept for the next run. */
const folder = inRepository('.cache/frameworks/nest');

const MANIFEST = {
  private: true,
  type: 'module',
  dependencies: {
    '@nestjs/common': '12.5.0',
    '@nestjs/core': '12.5.0',
    '@nestjs/platform-express': '12.5.0',
    'reflect-metadata': '0.2.2',
    rxjs: '7.8.2',
  },
};

const AWAY = /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENOTCACHED|ERR_SOCKET_TIMEOUT/;

/** False where the packages can be had neither from the registry nor from the cache. */
async function install(): Promise<boolean> {
  if (existsSync(join(folder, 'node_modules/@nestjs/platform-express/package.json'))) return true;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(MANIFEST));
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
  try {
    await run('npm', ['install', ...flags], { cwd: folder, env: { ...process.env, PATH } });
    return true;
  } catch (error) {
    if (AWAY.test((error as { stderr: string }).stderr)) return false;
    throw error;
  }
}

async function compile(): Promise<void> {
  const example = inRepository('examples/nest');
  for (const file of globSync('*.{ts,json}', { cwd: example })) {
    cpSync(join(example, file), join(folder, file));
  }
  // Checked together with our sources, of which nothing is emitted here.
  const checked = ['--noEmit', '--allowImportingTsExtensions', '--lib', 'esnext'];
  for (const more of [[...checked, '--rootDir', inRepository('.')], ['--noCheck']]) {
    const args = ['--project', folder, '--customConditions', 'pawl-source', ...more];
    const { isGood, output } = await runTool('tsc', args, new AbortController().signal);
    assert.ok(isGood, output);
  }
}

test('examples/nest: the dashboard works below its path, and ends with the server', async (context) => {
  if (!(await install())) return context.skip('the package registry cannot be reached');
  await compile();
  assert.equal(await buildDashboard(), null);
  const browser = await chromium.launch({ executablePath: await findChromium() });
  context.after(() => browser.close());
  const server = spawn(process.execPath, [join(folder, 'dist/main.js')], {
    env: { ...childEnvironment, PORT: '0', ADMIN_PASSWORD: 'open sesame' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'exit');
  context.after(() => server.kill('SIGKILL'));
  const [url] = (await once(createInterface(server.stdout), 'line')) as [string];
  const program = { route: '/reports', body: { year: 2026 }, type: 'report' };
  await browseMounted(browser, { url, password: 'open sesame', ...program });
  server.kill('SIGTERM');
  const [code, signal] = (await ended) as [number | null, string | null];
  // Nest ends by the signal that it was sent, once its modules are destroyed.
  assert.ok(code === 0 || signal === 'SIGTERM', `${code} ${signal}`);
});
