import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/browser/on-every-store.ts';
import { errand, paint, turns } from '../support/browser/stage-jobs.ts';

await onEveryStore.describe('the page of a job', (scene) => {
  test('progress, stage and end are shown as they happen, without a reload', async () => {
    const { page, fixture } = scene;
    const job = await fixture.pawl.enqueue(paint, {});
    await scene.visit(`jobs/${job.id}`);
    await page.getByText('the outline').first().waitFor();
    await page.evaluate(() => Object.assign(globalThis, { isTheSamePage: true }));
    turns.give();
    await page.getByText('the sky').first().waitFor();
    const bar = page.getByRole('progressbar', { name: 'Progress' });
    await bar.and(page.locator('[aria-valuenow="70"]')).waitFor();
    turns.give();
    await page.locator('h1 .state', { hasText: 'succeeded' }).waitFor();
    await page.getByText('"colours": 3').waitFor();
    assert.equal(await page.evaluate(() => 'isTheSamePage' in globalThis), true);
  });

  test('the path that a job took is drawn in its lifecycle, and no other', async () => {
    const { page, fixture } = scene;
    const job = await fixture.pawl.enqueue(errand, { fault: 'the door is locked' });
    await scene.visit(`jobs/${job.id}`);
    await page.locator('g.move.taken[data-to="failed"]').waitFor();
    const moves = await page.locator('g.move.taken').all();
    const taken = await Promise.all(
      moves.map(async (move) => {
        const [from, to] = [
          await move.getAttribute('data-from'),
          await move.getAttribute('data-to'),
        ];
        return `${from} → ${to}`;
      }),
    );
    assert.deepEqual(taken, ['queued → assigned', 'assigned → running', 'running → failed']);
    assert.match(
      (await page.locator('desc').first().textContent()) ?? '',
      /The path taken: queued, assigned, running, failed\. The job is in failed\./,
    );
  });

  test('a server that comes back is found again, and nothing of its job was missed', async () => {
    const { page, fixture } = scene;
    const runAt = '2100-01-01T00:00:00Z';
    const job = await fixture.client.enqueue({ type: 'paint', input: {}, runAt });
    await scene.visit(`jobs/${job.id}`);
    await page.getByText('live', { exact: true }).waitFor();
    const words = page.locator('.note-list b');
    await words.getByText('created').waitFor();
    const away = await fixture.leave();
    await page.getByText('Connection lost').waitFor();
    await away.back();
    await fixture.client.cancel(job.id);
    await page.getByText('Connection lost').waitFor({ state: 'detached' });
    await page.locator('h1 .state', { hasText: 'canceled' }).waitFor();
    await words.getByText('cancelled').waitFor();
    assert.deepEqual(await words.allTextContents(), ['created', 'cancelled']);
  });
});
