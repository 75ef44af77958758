// `npm run screenshots -- folder`: every page of the dashboard, wide and on a phone, light and
// dark, full and empty, as pictures and as one sheet for each look.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { fill } from '../test/support/browser/filled.ts';
import { type Fixture, openFixture } from '../test/support/browser/fixture.ts';
import { jobPlaces, PLACES } from '../test/support/browser/places.ts';
import { until } from '../test/support/browser/until.ts';

const folder = process.argv[2] ?? 'screenshots';

const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  'wide-light': { viewport: { width: 1_440, height: 1_000 }, colorScheme: 'light' },
  'wide-dark': { viewport: { width: 1_440, height: 1_000 }, colorScheme: 'dark' },
  'phone-light': { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  'phone-dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
};

async function shoot(fixture: Fixture, paths: readonly string[], state: string): Promise<void> {
  for (const [look, options] of Object.entries(LOOKS)) {
    const page = await fixture.look('', options);
    const names: string[] = [];
    for (const path of paths) {
      await page.goto(`${fixture.url}/#/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await until(page, `!document.body.textContent.includes('Loading…')`);
      const name = `${state}-${look}-${path.replaceAll(/\W+/g, '-') || 'overview'}.png`;
      await page.screenshot({ path: join(folder, name) });
      names.push(name);
    }
    await sheet(page, names, `${state}-${look}`);
    await page.context().close();
    process.stdout.write(`${state} ${look}: ${names.length} pages\n`);
  }
}

/** All pictures of a look beside each other. */
async function sheet(page: Page, names: readonly string[], title: string): Promise<void> {
  const images = names.map((name) => {
    const bytes = readFileSync(join(folder, name)).toString('base64');
    return `<img width="460" src="data:image/png;base64,${bytes}" alt="${name}">`;
  });
  const path = join(folder, `sheet-${title}.html`);
  writeFileSync(path, `<body style="margin:4px;background:#888">${images.join('\n')}`);
  await page.setViewportSize({ width: 1_900, height: 1_000 });
  await page.setContent(readFileSync(path, 'utf8'));
  await page.screenshot({ path: join(folder, `sheet-${title}.png`), fullPage: true });
}

mkdirSync(folder, { recursive: true });
const fixture = await openFixture();
try {
  const paths = PLACES.map(({ path }) => path);
  await shoot(
    fixture,
    paths.filter((path) => !/^(queues|types)\//.test(path)),
    'empty',
  );
  const filled = await fill(fixture);
  await shoot(fixture, [...paths, ...jobPlaces(filled).map(({ path }) => path)], 'full');
} finally {
  await fixture.close();
}
