// The dashboard inside servers of other frameworks, below a path, behind their access control.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import { buildDashboard } from '../../scripts/build-dashboard.ts';
import { childEnvironment } from '../../scripts/run/child-environment.ts';
import { inRepository } from '../../scripts/run/repository.ts';
import { findChromium } from '../support/browser/find-chromium.ts';
import { browseMounted } from '../support/browser/mounted.ts';

const SERVERS = [
  { path: 'examples/express/server.ts', route: '/invoices', body: { order: 17 }, type: 'invoice' },
  { path: 'examples/fastify/server.ts', route: '/reports', body: { year: 2026 }, type: 'report' },
] as const;

describe('the dashboard mounted in', () => {
  let browser: Browser;
  before(async () => {
    assert.equal(await buildDashboard(), null);
    browser = await chromium.launch({ executablePath: await findChromium() });
  });
  after(() => browser.close());

  for (const { path, ...program } of SERVERS) {
    test(`${path} works below its path, and ends with the server`, async (context) => {
      const server = spawn(process.execPath, [inRepository(path)], {
        env: { ...childEnvironment, PORT: '0', ADMIN_PASSWORD: 'open sesame' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(server, 'exit');
      context.after(() => server.kill('SIGKILL'));
      const [url] = (await once(createInterface(server.stdout), 'line')) as [string];
      const page = await browseMounted(browser, { url, password: 'open sesame', ...program });
      // A live stream of the page is open, which must not keep the server.
      server.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
      await page.context().close();
    });
  }
});
