import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore, type Scene } from '../support/browser/on-every-store.ts';
import { turns } from '../support/browser/stage-jobs.ts';
import { openReceiver } from '../spec/webhook-fixture.ts';

/** A queue is listed as long as it has jobs that live: this one waits for a day far away. */
function keepQueue({ fixture }: Scene, queue: string): Promise<unknown> {
  return fixture.client.enqueue({
    type: 'errand',
    queue,
    input: {},
    runAt: '2100-01-01T00:00:00Z',
  });
}

const receiver = await openReceiver();

const env = { PAWL_OUTGOING_ALLOW: receiver.host };

await onEveryStore.describe(
  'what can be done with queues, schedules and webhooks',
  (scene) => {
    test('a paused queue says why its job does not run, and lets it run when it goes on', async () => {
      const { page, fixture } = scene;
      await keepQueue(scene, 'calm');
      await scene.visit('queues');
      const row = page.getByRole('row', { name: /calm/ });
      await row.getByRole('button', { name: 'Pause…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Pause calm?' });
      await dialog.getByText(/0 ready jobs wait|1 ready jobs wait/).waitFor();
      await dialog.getByLabel('Why').fill('the printer is broken');
      await scene.press('Pause queue');
      await row.getByText('paused').waitFor();
      const job = await fixture.client.enqueue({ type: 'errand', queue: 'calm', input: {} });
      await scene.visit(`jobs/${job.id}`);
      await page.getByText('The queue "calm" was paused').waitFor();
      await scene.visit('queues');
      await row.getByRole('button', { name: 'Resume' }).click();
      await scene.visit(`jobs/${job.id}`);
      await page.locator('h1 .state', { hasText: 'succeeded' }).waitFor();
    });

    test('a queue is paused until a time, and shows until when and why', async () => {
      const { page, fixture } = scene;
      await keepQueue(scene, 'siesta');
      await scene.visit('queues');
      const row = page.getByRole('row', { name: /siesta/ });
      await row.getByRole('button', { name: 'Pause…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Pause siesta?' });
      await dialog.getByLabel('Until').fill('2020-01-01T12:00');
      await scene.press('Pause queue');
      await dialog.getByText('must lie in the future').waitFor();
      await dialog.getByLabel('Until').fill('2126-01-01T12:00');
      await dialog.getByLabel('Why').fill('too hot');
      await scene.press('Pause queue');
      await row.getByText('too hot').waitFor();
      await row.getByText('2126').waitFor();
      const { pausedUntil } = await fixture.client.operations.queue('siesta');
      assert.equal(new Date(pausedUntil!).getUTCFullYear(), 2126);
      await row.getByRole('button', { name: 'Resume' }).click();
      await row.getByText('open').waitFor();
    });

    test('the bounds of a queue are set in a form, and its holders are named', async () => {
      const { page, fixture } = scene;
      const job = await fixture.client.enqueue({ type: 'paint', queue: 'narrow', input: {} });
      await scene.visit('queues');
      const row = page.getByRole('row', { name: /narrow/ });
      await row.getByRole('button', { name: 'Limits…' }).click();
      await page.getByLabel('Jobs in flight at once').fill('2');
      await scene.press('Save');
      await row.getByText('of 2').waitFor();
      await row.getByTitle('Show these jobs').click();
      const dialog = page.getByRole('dialog', { name: 'In flight: narrow' });
      await dialog.getByRole('link', { name: `…${job.id.slice(-8)}` }).waitFor();
      await dialog.getByText(/paint by .+/).waitFor();
      turns.give();
      turns.give();
      await dialog.getByText('No jobs in flight').waitFor();
      await scene.press('Close');
    });
    test('a schedule is made in a form, run at once, paused, resumed, changed and removed', async () => {
      const { page } = scene;
      await scene.visit('schedules');
      await scene.press('New schedule…');
      await page.getByLabel('Name').fill('daily-errand');
      await page.getByLabel('When').fill('61 * * * *');
      await page.getByLabel('Type of the job').fill('errand');
      await scene.press('Save');
      await page.getByRole('alert').waitFor();
      await page.getByLabel('When').fill('0 6 * * *');
      await scene.press('Save');
      const card = page.getByRole('region', { name: 'daily-errand' });
      await card.getByRole('button', { name: 'Run now' }).click();
      await card.getByText('manual: succeeded').waitFor();
      await card.getByRole('button', { name: 'Pause' }).click();
      await card.getByText('None while paused').waitFor();
      await card.getByRole('button', { name: 'Resume' }).click();
      await card.getByText('None while paused').waitFor({ state: 'detached' });
      await card.getByRole('button', { name: 'Edit…' }).click();
      assert.equal(await page.getByLabel('When').inputValue(), '0 6 * * *');
      await page.getByLabel('When').fill('30 6 * * *');
      await scene.press('Save');
      await card.getByText('30 6 * * *').waitFor();
      await card.getByRole('button', { name: 'Remove…' }).click();
      await page.getByText('The schedule and its history are removed. Its jobs stay.').waitFor();
      await scene.press('Remove schedule');
      await card.waitFor({ state: 'detached' });
      await page.getByText('No schedules').waitFor();
    });

    test('a webhook is added, tested, redelivered, rotated, disabled and removed', async () => {
      const { page } = scene;
      await scene.visit('webhooks');
      await scene.press('New webhook…');
      await page.getByLabel('Address').fill(receiver.url);
      await page.getByLabel('Description').fill('the front desk');
      await scene.press('Add');
      const secret = page.getByRole('dialog', { name: 'The secret of this webhook' });
      const first = await secret.getByLabel('Secret').inputValue();
      assert.match(first, /^whsec_/);
      await scene.press('Done');
      const card = page.getByRole('region', { name: receiver.url });
      await card.getByText('the front desk').waitFor();
      assert.equal(await page.getByText('whsec_').count(), 0);

      await card.getByRole('button', { name: 'Send test' }).click();
      await card.getByText('delivered').waitFor();
      const before = receiver.received.length;
      await card.getByRole('button', { name: 'Redeliver' }).first().click();
      await card.getByText('delivered').nth(1).waitFor();
      assert.equal(receiver.received.length, before + 1);

      await card.getByRole('button', { name: 'Rotate secret' }).click();
      assert.notEqual(await secret.getByLabel('Secret').inputValue(), first);
      await scene.press('Done');
      await card.getByRole('button', { name: 'Disable' }).click();
      await card.getByText('disabled').waitFor();
      await card.getByRole('button', { name: 'Enable' }).click();
      await card.getByText('disabled').waitFor({ state: 'detached' });
      await card.getByRole('button', { name: 'Remove…' }).click();
      await page.getByText('will no longer be notified').waitFor();
      await scene.press('Remove webhook');
      await page.getByText('No webhooks').waitFor();
    });
  },
  env,
);
