import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openRoom, type Room } from '../support/browser/room.ts';
import { turns } from '../support/browser/stage-jobs.ts';

describe('the page of a job', () => {
  let room: Room;
  before(async () => (room = await openRoom()));
  after(() => room.close());

  test('progress, stage and end are shown as they happen, without a reload', async () => {
    const job = await room.client.enqueue({ type: 'paint', input: {} });
    const page = await room.look(`jobs/${job.id}`);
    await page.getByText('the outline').first().waitFor();
    await page.evaluate(() => Object.assign(globalThis, { isTheSamePage: true }));
    turns.give();
    await page.getByText('the sky').first().waitFor();
    const bar = page.getByRole('progressbar', { name: 'Progress' });
    assert.equal(await bar.getAttribute('aria-valuenow'), '70');
    turns.give();
    await page.locator('h1 .state', { hasText: 'succeeded' }).waitFor();
    await page.getByText('"colours": 3').waitFor();
    assert.equal(await page.evaluate(() => 'isTheSamePage' in globalThis), true);
    await page.context().close();
  });
});
