import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/browser/on-every-store.ts';
import { parade } from '../support/browser/stage-jobs.ts';

await onEveryStore.describe('what a job waits for, on its page', (scene) => {
  test('is a tree: jobs one by one, large sets as one bar, and a form for a message', async () => {
    const { page, fixture } = scene;
    const job = await fixture.pawl.enqueue(parade, { many: 60 });
    await scene.visit(`jobs/${job.id}`);
    const waits = page.getByRole('region', { name: 'Waits' });
    await waits.getByText('0 of 60 chore succeeded, 60 open').waitFor();
    await waits.getByText('2 of 3 chore succeeded, 1 failed').waitFor();
    await waits.getByText('stop-2').waitFor();
    const bar = waits.getByRole('progressbar', { name: 'Jobs of errands that have ended' });
    assert.equal(await bar.getAttribute('aria-valuenow'), '100');
    const shown = await waits.getByRole('link').count();
    assert.equal(shown, 4, 'those of the large set are not shown one by one');

    await scene.press('Send "approve"…');
    const dialog = page.getByRole('dialog', { name: 'Send a message' });
    await dialog.getByLabel('Value').fill('{"by": "Ada"}');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await waits.getByText('{"by":"Ada"}').waitFor();
    await waits.getByText('received by approve').waitFor();

    await waits.getByRole('link').first().click();
    await page.getByText('Awaited by').waitFor();
    await page.getByRole('link', { name: `…${job.id.slice(-8)}` }).waitFor();
  });
});
