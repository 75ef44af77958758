import type { Page } from 'playwright-core';

// By their addresses: what runs in the page is checked against the types of a page, not of Node.
const CHECKS = {
  faintText: new URL('in-page/faint-text.ts', import.meta.url),
  hardToUse: new URL('in-page/hard-to-use.ts', import.meta.url),
};

/** What is hard to read or to use on a page, for those who see it badly or not at all. */
export async function findingsOn(page: Page): Promise<string[]> {
  const findings: string[] = [];
  for (const [name, { href }] of Object.entries(CHECKS)) {
    const checks = (await import(href)) as Record<string, () => string[]>;
    findings.push(...(await page.evaluate(checks[name]!)));
  }
  return findings;
}
