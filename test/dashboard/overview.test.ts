import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { onEveryStore, type Scene } from '../support/browser/on-every-store.ts';
import { chore } from '../support/browser/stage-jobs.ts';
import { until } from '../support/browser/until.ts';

/** Jobs that ended, and were counted: the platform reads its log every few seconds. */
async function counted({ fixture }: Scene): Promise<void> {
  const jobs = [{}, {}, { fault: 'no room' }].map((input) => fixture.pawl.enqueue(chore, input));
  await Promise.all((await Promise.all(jobs)).map((job) => job.ended()));
}

function chart(page: Page, title: string) {
  return page.locator('section.card').filter({ has: page.getByRole('heading', { name: title }) });
}

async function refuse(page: Page, route: string): Promise<void> {
  await page.route(route, (asked) =>
    asked.fulfill({
      status: 500,
      contentType: 'application/problem+json',
      body: JSON.stringify({ detail: 'the database is away' }),
    }),
  );
}

await onEveryStore.describe('the overview', (scene) => {
  test('draws what was stored before the page was opened, and leaves the rest unknown', async () => {
    await counted(scene);
    const { page } = scene;
    const ended = chart(page, 'Finished jobs');
    await ended.locator('.series-bar').first().waitFor();
    await ended.locator('.unknown').first().waitFor();
  });

  test('a range is chosen by a link, and kept in the address', async () => {
    const { page } = scene;
    await page.getByRole('link', { name: '7 d', exact: true }).click();
    await until(page, "location.hash.includes('range=7d')");
    const chosen = page.getByRole('navigation', { name: 'Time range' });
    assert.equal(await chosen.locator('[aria-current]').textContent(), '7 d');
    await chart(page, 'Duration').waitFor();
  });

  test('a slider tells where jobs stood at a past moment', async () => {
    const { page, fixture } = scene;
    const held = await fixture.pawl.enqueue(chore, {}, { delay: '1h' });
    await page.getByText('Where jobs stood at a past moment').click();
    const card = page.locator('details').filter({ hasText: 'Where jobs stood' });
    await card.getByRole('row', { name: /chore/ }).first().waitFor();
    const time = (await card.locator('time').getAttribute('datetime'))!;
    await card.getByRole('slider').press('Home');
    await card.locator(`time:not([datetime="${time}"])`).waitFor();
    assert.match((await card.textContent())!, /At .*, \d+ jobs? had not ended\./);
    assert.ok((await card.locator('time').getAttribute('datetime'))! < time);
    await held.cancel();
  });

  test('dragging over a chart leads to the jobs of that time', async () => {
    const { page } = scene;
    const plot = chart(page, 'Finished jobs').locator('.plot');
    await plot.scrollIntoViewIfNeeded();
    const box = (await plot.boundingBox())!;
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.5, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.99, y);
    await page.mouse.up();
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    await until(page, "location.hash.includes('createdFrom=')");
    await until(page, "location.hash.includes('createdTo=')");
  });

  test('a part that cannot be read says so, and the others do not wait for it', async () => {
    const { page } = scene;
    await refuse(page, '**/v1/queues*');
    await page.reload();
    const ready = page.locator('.figure', { hasText: 'ready' }).first();
    await ready.getByText('?', { exact: true }).waitFor();
    await page.getByRole('alert').getByText('the database is away').first().waitFor();
    await page.getByRole('region', { name: 'History' }).locator('.plot').first().waitFor();
    await refuse(page, '**/v1/history*');
    await page.reload();
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('the database is away').waitFor();
    await history.getByText('No data for this period yet').first().waitFor();
    await page.getByRole('heading', { name: 'Running now' }).waitFor();
  });

  test('problems of one kind are told together, and lead to what they name', async () => {
    const { page, fixture } = scene;
    for (const name of ['slow', 'bulk']) {
      await fixture.pawl.queue(name).pause({ reason: 'the mail server is down' });
    }
    await page.reload();
    const problems = page.getByRole('region', { name: 'Problems' });
    const item = problems.getByRole('listitem').filter({ hasText: 'paused' });
    await item.getByText('more like this').waitFor();
    await item.getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: /^Queue (slow|bulk)/ }).waitFor();
    for (const name of ['slow', 'bulk']) await fixture.pawl.queue(name).resume();
  });

  test('a paused queue is resumed from the list of problems', async () => {
    const { page, fixture } = scene;
    await fixture.pawl.queue('asleep').pause({ reason: 'night' });
    await page.reload();
    const problems = page.getByRole('region', { name: 'Problems' });
    const item = problems.getByRole('listitem').filter({ hasText: 'asleep' });
    await item.getByRole('button', { name: 'Resume' }).click();
    await item.waitFor({ state: 'detached' });
    assert.equal((await fixture.client.operations.queue('asleep')).isPaused, false);
  });

  test('this week is shown against the last one', async () => {
    await counted(scene);
    const weeks = scene.page.getByRole('region', { name: 'This week vs. last week' });
    await weeks.getByRole('row', { name: /p95 duration/ }).waitFor();
    await weeks.getByText('unknown').first().waitFor();
  });
});
