import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact: 'minor' | 'moderate' | 'serious' | 'critical' | null;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

const SHOWN_LENGTH = 300;

function textOf({ id, impact, help, nodes }: Violation): string {
  const [first] = nodes;
  const example = `${first?.html} ${first?.failureSummary ?? ''}`.replaceAll(/\s+/g, ' ');
  return `${impact} ${id}: ${help} (${nodes.length}) ${example.slice(0, SHOWN_LENGTH)}`;
}

/** What axe-core finds on a page as it stands, however light. */
export async function axeFindingsOn(page: Page): Promise<string[]> {
  // Evaluated, not added as a script, which the policy of the page would rightly refuse.
  const isThere = await page.evaluate(() => 'axe' in globalThis);
  if (!isThere) await page.evaluate(SOURCE);
  const run = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)`;
  const violations = (await page.evaluate(run)) as Violation[];
  return violations.map(textOf);
}
