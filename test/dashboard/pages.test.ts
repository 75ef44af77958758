import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { fill, type Filled } from '../support/browser/filled.ts';
import { onOneStore } from '../support/browser/on-every-store.ts';
import { goTo, jobPlaces, PLACES } from '../support/browser/places.ts';
import { until } from '../support/browser/until.ts';

onOneStore.describe('the pages', (scene) => {
  let filled: Filled;
  before(async () => (filled = await fill(scene.fixture)));

  test('each page is there, named and filled', async () => {
    const { page, fixture } = scene;
    for (const place of [...PLACES, ...jobPlaces(filled)]) await goTo(page, fixture.url, place);
  });

  test('what the page loads comes compressed, as the browser takes it', async () => {
    const { url } = scene.fixture;
    const html = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
    const [, script] = /src="\.\/(assets\/[^"]+)"/.exec(html)!;
    const sent = async (encodings: string): Promise<[string | null, number]> => {
      const headers = { 'accept-encoding': encodings };
      const answer = await fetch(`${url}/${script}`, { headers });
      assert.match(answer.headers.get('vary') ?? '', /accept-encoding/);
      return [answer.headers.get('content-encoding'), (await answer.arrayBuffer()).byteLength];
    };
    const [plain, bytes] = await sent('identity');
    assert.equal(plain, null);
    assert.deepEqual(await sent('gzip, br'), ['br', bytes]);
    assert.deepEqual(await sent('gzip'), ['gzip', bytes]);
  });

  test('on paper there is no menu and no button, and nothing is cut off', async () => {
    const { page } = scene;
    await scene.visit(`jobs/${filled.dead.id}`);
    await page.getByRole('heading', { name: 'Events and log' }).waitFor();
    await page.emulateMedia({ media: 'print' });
    assert.equal(
      await page.getByRole('navigation', { name: 'Pages', exact: true }).isVisible(),
      false,
    );
    assert.equal(await page.getByRole('button', { name: 'Replay…' }).isVisible(), false);
    const height = "getComputedStyle(document.querySelector('.note-list')).maxHeight";
    assert.equal(await page.evaluate(height), 'none');
  });

  test('on a phone the menu is behind a button, and closes when it has led somewhere', async () => {
    const { page } = scene;
    await page.setViewportSize({ width: 390, height: 844 });
    const menu = page.getByRole('navigation', { name: 'Pages', exact: true });
    const link = menu.getByRole('link', { name: 'Workers' });
    assert.equal(await link.isVisible(), false);
    await scene.press('Menu');
    await link.click();
    await page.getByRole('heading', { level: 1, name: 'Workers' }).waitFor();
    await link.waitFor({ state: 'hidden' });
  });

  test('keys lead from page to page, and a question mark shows them', async () => {
    const { page } = scene;
    await page.getByText('live', { exact: true }).waitFor();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.getByText('next, previous job').waitFor();
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    await page.getByRole('heading', { level: 1, name: 'Workers' }).waitFor();
    await until(page, "document.title === 'Workers · Pawl'");
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    await page.keyboard.press('/');
    assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Type');
  });

  test('the first stop of the tab key leads past the menu', async () => {
    const { page } = scene;
    await page.getByText('live', { exact: true }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.id'), 'main');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  test('[T22] the overview shows times, failures and the error budget of each type', async () => {
    const row = scene.page.getByRole('row', { name: /errand/ });
    await row.getByText('100.0 %').waitFor();
    assert.equal(await row.getByRole('meter').getAttribute('aria-valuenow'), '0');
    await row.getByText('overspent').waitFor();
  });

  test('a page or a job that is not there says so and leads back', async () => {
    const { page } = scene;
    await scene.visit('nowhere');
    await page.getByText('Page not found').waitFor();
    await page.getByRole('link', { name: 'Back to the overview' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await scene.visit('jobs/01890000-0000-7000-8000-000000000000');
    await page.getByRole('alert').getByText('there is no job').waitFor();
    await page.getByRole('link', { name: 'Back to the job list' }).click();
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    await scene.visit('jobs?type=nothing');
    await page.getByText('No matching jobs').waitFor();
  });
});
