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

/** Says yes to the next question of the browser, and keeps it. */
function sayYes({ page }: Scene): Promise<string> {
  return new Promise((resolve) => {
    page.once('dialog', (dialog) => void dialog.accept().then(() => resolve(dialog.message())));
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
      await row.getByRole('button', { name: 'Pause' }).click();
      await row.getByText('paused').waitFor();
      const job = await fixture.client.enqueue({ type: 'errand', queue: 'calm', input: {} });
      await scene.visit(`jobs/${job.id}`);
      await page.getByText('The queue "calm" was paused').waitFor();
      await scene.visit('queues');
      await row.getByRole('button', { name: 'Resume' }).click();
      await scene.visit(`jobs/${job.id}`);
      await page.locator('h1 .state', { hasText: 'succeeded' }).waitFor();
    });

    test('the bounds of a queue are set in a form, and its holders are named', async () => {
      const { page, fixture } = scene;
      const job = await fixture.client.enqueue({ type: 'paint', queue: 'narrow', input: {} });
      await scene.visit('queues');
      const row = page.getByRole('row', { name: /narrow/ });
      await row.getByRole('button', { name: 'Bounds…' }).click();
      await page.getByLabel('Jobs in flight at once').fill('2');
      await scene.press('Save');
      await row.getByText('of 2').waitFor();
      await row.getByTitle('Who has them').click();
      const dialog = page.getByRole('dialog', { name: 'In hand of narrow' });
      await dialog.getByRole('link', { name: `…${job.id.slice(-8)}` }).waitFor();
      await dialog.getByText(/paint by .+/).waitFor();
      turns.give();
      turns.give();
      await dialog.getByText('Nothing is in flight').waitFor();
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
      await card.getByText('by hand, created').waitFor();
      await card.getByRole('button', { name: 'Pause' }).click();
      await card.getByText('None while paused').waitFor();
      await card.getByRole('button', { name: 'Resume' }).click();
      await card.getByText('None while paused').waitFor({ state: 'detached' });
      await card.getByRole('button', { name: 'Change…' }).click();
      assert.equal(await page.getByLabel('When').inputValue(), '0 6 * * *');
      await page.getByLabel('When').fill('30 6 * * *');
      await scene.press('Save');
      await card.getByText('30 6 * * *').waitFor();
      const asked = sayYes(scene);
      await card.getByRole('button', { name: 'Remove' }).click();
      assert.match(await asked, /Remove the schedule daily-errand and its history\? Its jobs stay/);
      await card.waitFor({ state: 'detached' });
      await page.getByText('No schedules').waitFor();
    });

    test('a webhook is added, tested, redelivered, rotated, disabled and removed', async () => {
      const { page } = scene;
      await scene.visit('webhooks');
      await scene.press('New webhook…');
      await page.getByLabel('Address').fill(receiver.url);
      await page.getByLabel('What it is for').fill('the front desk');
      await scene.press('Add');
      const secret = page.getByRole('dialog', { name: 'The secret of this webhook' });
      const first = await secret.getByLabel('Secret').inputValue();
      assert.match(first, /^whsec_/);
      await scene.press('I have it');
      const card = page.getByRole('region', { name: receiver.url });
      await card.getByText('the front desk').waitFor();
      assert.equal(await page.getByText('whsec_').count(), 0);

      await card.getByRole('button', { name: 'Send a test' }).click();
      await card.getByText('delivered').waitFor();
      const before = receiver.received.length;
      await card.getByRole('button', { name: 'Redeliver' }).first().click();
      await card.getByText('delivered').nth(1).waitFor();
      assert.equal(receiver.received.length, before + 1);

      await card.getByRole('button', { name: 'Rotate the secret' }).click();
      assert.notEqual(await secret.getByLabel('Secret').inputValue(), first);
      await scene.press('I have it');
      await card.getByRole('button', { name: 'Disable' }).click();
      await card.getByText('disabled').waitFor();
      await card.getByRole('button', { name: 'Enable' }).click();
      await card.getByText('disabled').waitFor({ state: 'detached' });
      const asked = sayYes(scene);
      await card.getByRole('button', { name: 'Remove' }).click();
      assert.match(await asked, /Remove the webhook to/);
      await page.getByText('No webhooks').waitFor();
    });
  },
  env,
);
