import type { Page } from 'playwright-core';
import { eventually } from '../eventually.ts';

/**
 * Waits until an expression is true in the page. Playwright's `waitForFunction` would look again
 * with `eval`, which the policy of the page rightly refuses.
 */
export async function until(page: Page, expression: string): Promise<void> {
  const timeoutMs = 60_000;
  const look = async () => Boolean(await page.evaluate(expression));
  await eventually(expression, look, { timeoutMs, everyMs: 30 });
}
