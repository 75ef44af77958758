// A platform that listens, and a browser that looks at it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { buildDashboard } from '../../../scripts/build-dashboard.ts';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import {
  type Platform,
  type PlatformParts,
  startPlatform,
} from '@pawl/server/internal/app/platform';
import { type ApiClient, PawlClient } from 'pawl/client';
import { freePort } from '../free-port.ts';
import { findChromium } from './find-chromium.ts';
import { turns } from './stage-jobs.ts';

const JOBS = fileURLToPath(new URL('stage-jobs.ts', import.meta.url));

/** As long as a loaded machine may take; nothing waits so long by itself. */
const PATIENCE_MS = 60_000;

export interface Fixture {
  /** Enqueues typed jobs; `client` is its API, route by route. */
  readonly pawl: PawlClient;
  readonly client: ApiClient;
  readonly url: string;
  /** The platform itself, as it is at the moment: to plant what takes weeks to come about. */
  platform(): Platform;
  /** The first key, where keys are asked for. */
  key(): string;
  /** A page of its own, at a place of the dashboard: `jobs?phase=failed`. */
  look(place?: string, options?: BrowserContextOptions): Promise<Page>;
  /** What pages have complained of so far. */
  readonly complaints: readonly string[];
  /** The server is gone until `back` is called; then it is there again, at the same address. */
  leave(): Promise<{ back(): Promise<void> }>;
  close(): Promise<void>;
}

async function start(env: NodeJS.ProcessEnv, parts: PlatformParts): Promise<Platform> {
  return startPlatform(readConfiguration(env), { warn: () => undefined }, parts);
}

/** The browser's own notes on answers that the page handles are no complaints of the page. */
function listen(page: Page, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    const isNote = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isNote) complaints.push(message.text());
  });
}

async function openBrowser(): Promise<Browser> {
  const fault = await buildDashboard();
  if (fault !== null) throw new Error(`the dashboard could not be built:\n${fault}`);
  return chromium.launch({ executablePath: await findChromium(), timeout: PATIENCE_MS });
}

/** Opens a platform on SQLite, with the jobs of the stage. */
export async function openFixture(
  more: NodeJS.ProcessEnv = {},
  parts: PlatformParts = {},
): Promise<Fixture> {
  const browser = await openBrowser();
  turns.shut();
  const folder = mkdtempSync(join(tmpdir(), 'pawl-dashboard-'));
  // Of its own, so that nobody else has it when the server comes back.
  const port = String(await freePort());
  const env = { PORT: port, PAWL_DATA: join(folder, 'data'), PAWL_JOBS: JOBS, ...more };
  let platform = await start(env, parts);
  const { url } = platform;
  const pawl = new PawlClient({ url });
  const complaints: string[] = [];
  return {
    pawl,
    client: pawl.api,
    url,
    complaints,
    platform: () => platform,
    key: () => readFileSync(join(env.PAWL_DATA, 'admin.key'), 'utf8').trim(),
    look: async (place = '', options = {}) => {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
      context.setDefaultTimeout(PATIENCE_MS);
      context.on('page', (page) => listen(page, complaints));
      const page = await context.newPage();
      await page.goto(`${url}/#/${place}`);
      return page;
    },
    leave: async () => {
      await platform.stop();
      const back = async (): Promise<void> => {
        platform = await start(env, parts);
      };
      return { back };
    },
    close: async () => {
      await browser.close();
      turns.open();
      await platform.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
