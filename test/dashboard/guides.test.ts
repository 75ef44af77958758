// The documentation as a running platform serves it, in a real browser.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { axeFindingsOn } from '../support/browser/axe.ts';
import { openFixture, type Fixture } from '../support/browser/fixture.ts';
import { Guard } from '../support/browser/guarded-page.ts';

let fixture: Fixture;
before(async () => (fixture = await openFixture()));
after(async () => {
  assert.deepEqual(fixture.complaints, []);
  await fixture.close();
});

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await fixture.look('', options);
  await page.goto(`${fixture.url}/guides/${path}`);
  return page;
}

function title(page: Page, name: string): Promise<void> {
  return page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

async function search(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search the documentation' }).fill(words);
}

function hits(page: Page): Locator {
  return page.getByRole('listbox', { name: 'Results' }).getByRole('option');
}

const colour = 'getComputedStyle(document.body).backgroundColor';

test('the menu leads to the guides, guides lead to one another, and back to the dashboard', async () => {
  const page = await fixture.look();
  await page.getByRole('navigation', { name: 'Pages', exact: true }).getByText('Guides').click();
  await title(page, 'Pawl');
  const menu = page.getByRole('navigation', { name: 'Pages', exact: true });
  await menu.getByText('Learn', { exact: true }).click();
  await menu.getByRole('link', { name: 'A first job' }).click();
  await title(page, 'A first job');
  const article = page.getByRole('article');
  await article.getByText("export const resize = defineJob('resize', {").first().waitFor();
  await article.getByRole('link', { name: 'stages and checkpoints' }).click();
  await title(page, 'Stages and checkpoints');
  assert.equal(await page.title(), 'Stages and checkpoints · Pawl');
  assert.equal(await menu.locator('[aria-current]').textContent(), 'Stages and checkpoints');
  await page.getByRole('link', { name: 'Next Effects' }).click();
  await title(page, 'Effects');
  await menu.getByRole('link', { name: 'Dashboard' }).click();
  await title(page, 'Overview');
  await page.context().close();
});

test('a page with nothing on it leads to the guide that says how to begin', async () => {
  const page = await fixture.look('schedules');
  await page.getByRole('link', { name: 'How to create a schedule' }).click();
  await title(page, 'Schedules');
  await page.getByRole('article').getByText('One slot creates one job').waitFor();
  await page.context().close();
});

test('search is opened by a key, shows where words occur, and leads there', async () => {
  const page = await open('learn/first-job.html');
  await title(page, 'A first job');
  await search(page, 'classes of failed attempts');
  await hits(page).first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/reference/errors.html#classes-of-failed-attempts');
  await title(page, 'Errors');
  await search(page, 'xyzzy-not-there');
  await page.getByText('No results for “xyzzy-not-there”.').waitFor();
  await page.keyboard.press('Escape');
  await page
    .getByRole('combobox', { name: 'Search the documentation' })
    .waitFor({ state: 'hidden' });
  await page.context().close();
});

test('words that look like HTML are searched for as text', async () => {
  const page = await open('index.html');
  const guard = new Guard(page, fixture.url);
  await guard.listen();
  await page.reload();
  await search(page, '<img src=x onerror=isBroken=1>');
  await page.getByText('No results for').waitFor();
  await page.getByRole('combobox', { name: 'Search the documentation' }).fill('typed<Type>()');
  await hits(page).first().waitFor();
  await guard.assertHarmless('search');
  await page.context().close();
});

test('the theme is the system’s until one is chosen, and stays chosen', async () => {
  const page = await open('learn/effects.html', { colorScheme: 'dark' });
  await title(page, 'Effects');
  const dark = await page.evaluate(colour);
  await page.getByLabel('Theme').selectOption('Light');
  const light = await page.evaluate(colour);
  assert.notEqual(light, dark);
  await page.goto(`${fixture.url}/guides/learn/testing.html`);
  await title(page, 'Testing');
  assert.equal(await page.evaluate(colour), light);
  assert.equal(await page.getByLabel('Theme').inputValue(), 'light');
  await page.getByLabel('Theme').selectOption('System');
  assert.equal(await page.evaluate(colour), dark);
  await page.context().close();
});

test('a page that is not there says so, whatever its depth, and leads back', async () => {
  for (const path of ['nothing', 'learn/nothing.html']) {
    const page = await open(path);
    await title(page, 'Page not found');
    await page.getByRole('article').getByRole('link', { name: 'all pages' }).click();
    await title(page, 'Documentation');
    await page.context().close();
  }
});

test('addresses without a file, and addresses that lead out, are answered', async () => {
  const status = async (path: string): Promise<number> => (await fetch(fixture.url + path)).status;
  assert.equal(await status('/guides'), 200);
  assert.equal(await status('/guides/'), 200);
  assert.equal(await status('/guides/learn/effects'), 200);
  assert.equal(await status('/guides/missing.js'), 404);
  assert.equal(await status('/guides/..%2findex.html'), 404);
  const { headers } = await fetch(`${fixture.url}/guides/index.html`);
  assert.match(headers.get('content-security-policy') ?? '', /^default-src 'self'/);
});

for (const [label, options] of [
  ['wide', { viewport: { width: 1280, height: 900 } }],
  ['dark', { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' as const }],
  ['narrow', { viewport: { width: 390, height: 844 } }],
] as const) {
  test(`guides and reference fit a ${label} page`, async () => {
    for (const path of ['index', 'learn/testing', 'reference/options', 'reference/http']) {
      const page = await open(`${path}.html`, options);
      await page.getByRole('article').waitFor();
      const overflow =
        'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      assert.equal(await page.evaluate(overflow), 0, path);
      await page.context().close();
    }
  });
}

test('on a narrow page the menu is opened by a button', async () => {
  const page = await open('learn/effects.html', { viewport: { width: 390, height: 844 } });
  const entry = page.getByRole('navigation', { name: 'Pages', exact: true }).getByText('All pages');
  await entry.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Menu' }).click();
  await entry.click();
  await title(page, 'Documentation');
  await page.context().close();
});

test('pages and the open search have no finding of axe-core, light and dark', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await open('learn/first-job.html', { colorScheme });
    assert.deepEqual(await axeFindingsOn(page), [], colorScheme);
    await search(page, 'retries');
    await hits(page).first().waitFor();
    assert.deepEqual(await axeFindingsOn(page), [], `search, ${colorScheme}`);
    await page.goto(`${fixture.url}/guides/reference/errors.html`);
    assert.deepEqual(await axeFindingsOn(page), [], `reference, ${colorScheme}`);
    await page.context().close();
  }
});
