// The example for NestJS with the real framework. It is installed for this test, not for everybody
// who works on the repository: a hundred packages that nothing else needs.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { buildDashboard } from '../../scripts/build-dashboard.ts';
import { childEnvironment } from '../../scripts/run/child-environment.ts';
import { runTool } from '../../scripts/run/command.ts';
import { inRepository } from '../../scripts/run/repository.ts';
import { findChromium } from '../support/browser/find-chromium.ts';
import { browseMounted } from '../support/browser/mounted.ts';
import { installIn } from '../support/frameworks/install.ts';

/** Below the repository, whose packages are found from there; kept for the next run. */
const folder = inRepository('.cache/frameworks/nest');

const VERSIONS = {
  '@nestjs/common': '12.5.0',
  '@nestjs/core': '12.5.0',
  '@nestjs/platform-express': '12.5.0',
  'reflect-metadata': '0.2.2',
  rxjs: '7.8.2',
};

async function install(): Promise<boolean> {
  const installed = 'node_modules/@nestjs/platform-express/package.json';
  return existsSync(join(folder, installed)) || installIn(folder, VERSIONS);
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
