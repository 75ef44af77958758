import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { heartbeats } from '../../examples/plugin/plugin.ts';
import { openFixture, type Fixture } from '../support/browser/fixture.ts';

describe('a page of a plug-in', () => {
  let fixture: Fixture;
  before(async () => {
    fixture = await openFixture({ PAWL_AUTH: 'on' }, { plugins: [heartbeats()] });
  });
  after(() => fixture.close());

  test('is in the menu, is shown there, and asks the server as whoever is signed in', async () => {
    const key = fixture.key();
    const reported = await fetch(`${fixture.url}/v1/heartbeats/backup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: '{"withinMs":3600000}',
    });
    assert.equal(reported.status, 200);
    const page = await fixture.look('plugins/heartbeats');
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Heartbeats' }).waitFor();
    await page.getByRole('cell', { name: 'backup' }).waitFor();
    assert.equal(await page.title(), 'Heartbeats · Pawl');
    const menu = page.getByRole('navigation', { name: 'Pages', exact: true });
    await menu.getByRole('link', { name: 'Jobs', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    await page.getByRole('cell', { name: 'backup' }).waitFor({ state: 'detached' });
    await menu.getByRole('link', { name: 'Heartbeats' }).click();
    await page.getByRole('cell', { name: 'backup' }).waitFor();
    assert.equal(await menu.locator('[aria-current]').textContent(), 'Heartbeats');
    assert.deepEqual(fixture.complaints, []);
  });

  test('that cannot be loaded says whose it is, and the rest of the dashboard goes on', async () => {
    const page = await fixture.look();
    await page.route('**/plugins/heartbeats/page.js', (route) => route.fulfill({ status: 503 }));
    await page.getByLabel('API key').fill(fixture.key());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Heartbeats' }).click();
    await page.getByRole('alert').getByText('The page of the plug-in heartbeats failed').waitFor();
    await page.getByRole('link', { name: 'Workers' }).click();
    await page.getByRole('heading', { level: 1, name: 'Workers' }).waitFor();
  });
});
