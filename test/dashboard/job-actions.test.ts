import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PIXEL } from '../support/browser/filled.ts';
import { onOneStore } from '../support/browser/on-every-store.ts';
import { errand, exhibit, paint } from '../support/browser/stage-jobs.ts';
import { until } from '../support/browser/until.ts';

onOneStore.describe('what can be done on the page of a job', (scene) => {
  test('a cancel says what will happen to the job, and then it happens', async () => {
    const { page, fixture } = scene;
    const job = await fixture.pawl.enqueue(paint, {});
    await scene.visit(`jobs/${job.id}`);
    await page.getByText('the outline').first().waitFor();
    await scene.press('Cancel…');
    const dialog = page.getByRole('dialog', { name: 'Cancel this job?' });
    await dialog.getByText('stops at a safe point, keeping its checkpoint').waitFor();
    await dialog.getByText('unfinished work is lost').waitFor();
    await dialog.getByRole('button', { name: 'Cancel now' }).click();
    await page.locator('h1 .state', { hasText: 'canceled' }).waitFor();
  });

  test('a job that nobody has begun is cancelled at once, and can be left alone', async () => {
    const { page, fixture } = scene;
    const runAt = '2100-01-01T00:00:00Z';
    const job = await fixture.client.enqueue({ type: 'paint', input: {}, runAt });
    await scene.visit(`jobs/${job.id}`);
    await scene.press('Cancel…');
    await scene.press('Close');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await scene.press('Cancel…');
    await page.getByText('It is not running: it ends at once.').waitFor();
    await scene.press('Cancel job');
    await page.locator('h1 .state', { hasText: 'canceled' }).waitFor();
  });

  test('a job that failed is replayed from its page, with its input as it was', async () => {
    const { page, fixture } = scene;
    const dead = await fixture.pawl.enqueue(errand, { fault: 'nobody was at home' });
    await fixture.client.waitForEnd(dead.id);
    await scene.visit(`jobs/${dead.id}`);
    await scene.press('Replay…');
    const input = page.getByLabel('Input of the new job');
    assert.deepEqual(JSON.parse(await input.inputValue()), { fault: 'nobody was at home' });
    await scene.press('Replay');
    await until(page, `!location.hash.includes('${dead.id}')`);
    const { items } = await fixture.client.jobs({ parentJobId: dead.id });
    assert.equal(await page.evaluate('location.hash'), `#/jobs/${items[0]!.id}`);
  });

  test('artifacts can be fetched, and pictures among them are seen', async () => {
    const { page, fixture } = scene;
    const text = Buffer.from('a plain note').toString('base64');
    const job = await fixture.pawl.enqueue(exhibit, {
      files: [
        { name: 'dot.png', contentType: 'image/png', base64: PIXEL },
        { name: 'note.txt', contentType: 'text/plain', base64: text },
      ],
    });
    await fixture.client.waitForEnd(job.id);
    await scene.visit(`jobs/${job.id}`);
    await page.getByText('text/plain, 12 bytes').waitFor();
    await until(page, "document.querySelector('.gallery img')?.naturalWidth === 1");
    assert.equal(await page.locator('.gallery img').count(), 1);
    const link = page.getByRole('link', { name: 'note.txt' });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    assert.equal(download.suggestedFilename(), 'note.txt');
    assert.equal(await download.failure(), null);
  });
});
