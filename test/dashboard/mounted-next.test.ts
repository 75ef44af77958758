// The example for Next.js as its users run it: the packed packages, `next build` and `next start`.
// The framework takes 340 MB and its build some 20 s of CPU time, so this runs only on request.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { inRepository } from '../../scripts/run/repository.ts';
import { findChromium } from '../support/browser/find-chromium.ts';
import { browseMounted } from '../support/browser/mounted.ts';
import { installIn, nodePath } from '../support/frameworks/install.ts';

const run = promisify(execFile);

const VERSIONS = {
  '@types/node': '26.6.6',
  '@types/react': '19.3.0',
  next: '16.4.6',
  react: '19.3.1',
  'react-dom': '19.3.1',
  typebox: '1.4.3',
  typescript: '7.0.2',
};

async function install(folder: string): Promise<boolean> {
  await run(process.execPath, [inRepository('scripts/pack.ts'), join(folder, 'packed')]);
  const [pawl] = globSync('packed/pawl-[0-9]*.tgz', { cwd: folder });
  const [server] = globSync('packed/pawl-server-*.tgz', { cwd: folder });
  const ours = { pawl: `file:${pawl}`, '@pawl/server': `file:${server}` };
  if (!(await installIn(folder, { ...VERSIONS, ...ours }))) return false;
  const example = inRepository('examples/next');
  const isUsers = (path: string): boolean => !path.endsWith('.test.ts');
  cpSync(example, folder, { recursive: true, filter: isUsers });
  return true;
}

async function urlIn(output: Readable): Promise<string> {
  for await (const line of createInterface(output)) {
    const [, url] = /Local: +(http:\S+)/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  return assert.fail('next start named no address');
}

const isAsked = process.env['PAWL_TEST_NEXT'] === '1';
const skip =
  !isAsked && 'next build is large: PAWL_TEST_NEXT=1 npm test -- test/dashboard/mounted-next';

test(
  'examples/next: builds, enqueues, serves the dashboard, ends with the server',
  { skip },
  async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-next-'));
    context.after(() => rmSync(folder, { recursive: true }));
    if (!(await install(folder))) return context.skip('the package registry cannot be reached');
    const next = join(folder, 'node_modules/next/dist/bin/next');
    const env = {
      PATH: nodePath,
      NEXT_TELEMETRY_DISABLED: '1',
      DATABASE: join(folder, 'data/pawl.db'),
      ADMIN_PASSWORD: 'open sesame',
    };
    await run(process.execPath, [next, 'build'], { cwd: folder, env });
    const browser = await chromium.launch({ executablePath: await findChromium() });
    context.after(() => browser.close());
    const server = spawn(process.execPath, [next, 'start', '-H', '127.0.0.1', '-p', '0'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(server, 'exit');
    context.after(() => server.kill('SIGKILL'));
    const url = await urlIn(server.stdout);
    const program = { route: '/api/reports', body: { year: 2026 }, type: 'report' };
    await browseMounted(browser, { url, password: 'open sesame', ...program });
    server.kill('SIGTERM');
    const [code, signal] = (await ended) as [number | null, string | null];
    assert.deepEqual([code, signal], [0, null]);
  },
);
