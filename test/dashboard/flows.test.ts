import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneStore } from '../support/browser/on-every-store.ts';
import { inquiry, parade } from '../support/browser/stage-jobs.ts';

onOneStore.describe('what a job waits for, on its page', (scene) => {
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

  test('asks for a message by the fields that its schema has', async () => {
    const { page, fixture } = scene;
    const job = await fixture.pawl.enqueue(inquiry, 'plain');
    await scene.visit(`jobs/${job.id}`);
    await scene.press('Send "opinion"…');
    const dialog = page.getByRole('dialog', { name: 'Send a message' });
    await dialog.getByLabel('Do you agree?').check();
    await dialog.getByLabel('stars').fill('9');
    await dialog.getByLabel('mood').selectOption('bad');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('stars must be 5 or less').waitFor();
    await dialog.getByLabel('stars').fill('4');
    await dialog.getByRole('button', { name: 'Send' }).click();
    assert.deepEqual(await job.result(), { agrees: true, stars: 4, mood: 'bad' });
  });

  test('has no form where only a program with the key can send a message', async () => {
    const { page, fixture } = scene;
    const job = await fixture.pawl.enqueue(inquiry, `pawl1.k1.${'a'.repeat(64)}`);
    await scene.visit(`jobs/${job.id}`);
    const waits = page.getByRole('region', { name: 'Waits' });
    await waits.getByText('only a program that has the key can send it a message').waitFor();
    assert.equal(await waits.getByRole('button').count(), 0);
  });
});
