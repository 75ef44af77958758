import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openRoom, type Room } from '../support/browser/room.ts';

describe('where credentials are asked for', () => {
  let room: Room;
  before(async () => (room = await openRoom({ PAWL_AUTH: 'on' })));
  after(() => room.close());

  test('the page asks for a key, refuses a wrong one and opens with a good one', async () => {
    const page = await room.look('queues');
    const field = page.getByLabel('API key');
    await field.fill('pawl_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This key is not accepted').waitFor();
    await field.fill(room.key());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Queues and types' }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await page.context().close();
  });

  test('the key stays in the tab: another one asks again, and so does this one once signed out', async () => {
    const page = await room.look();
    await page.getByLabel('API key').fill(room.key());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${room.url}/`);
    await other.getByLabel('API key').waitFor();
    await page.getByRole('button', { name: 'sign out' }).click();
    await page.getByLabel('API key').waitFor();
    assert.equal(await page.evaluate('sessionStorage.length'), 0);
    await page.context().close();
  });
});
