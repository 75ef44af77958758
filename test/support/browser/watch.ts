import type { Page } from 'playwright-core';

/** By its address: what runs in the page is checked against the types of a page, not of Node. */
const SOURCE = new URL('in-page/watch-frames.ts', import.meta.url).href;

/** See in-page/watch-frames.ts. */
export interface Watched {
  readonly frames: readonly number[];
  readonly longTasks: readonly number[];
  readonly longScripts: readonly number[];
  readonly changes: number;
  readonly shift: number;
  readonly nodes: number;
  readonly heapBytes: number;
  readonly seconds: number;
}

interface InPage {
  readonly startWatch: () => void;
  readonly endWatch: () => Watched;
}

/** What a page does while something else goes on: its frames, its changes, its size. */
export async function watchWhile(page: Page, work: () => Promise<void>): Promise<Watched> {
  const { startWatch, endWatch } = (await import(SOURCE)) as InPage;
  await page.evaluate(startWatch);
  await work();
  return page.evaluate(endWatch);
}
