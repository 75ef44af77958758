import type { Page } from 'playwright-core';

// By its address: what runs in the page is checked against the types of a page, not of Node.
const inPage = new URL('in-page/findings.ts', import.meta.url).href;

/** What is hard to read or to use on a page, for those who see it badly or not at all. */
export async function findingsOn(page: Page): Promise<string[]> {
  const { find } = (await import(inPage)) as { find: () => string[] };
  return page.evaluate(find);
}
