import assert from 'node:assert/strict';
import { after, before, beforeEach, afterEach, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openRoom, type Room } from '../support/browser/room.ts';
import { errand, paint } from '../support/browser/stage-jobs.ts';

describe('what can be done on the pages', () => {
  let room: Room;
  let page: Page;
  before(async () => (room = await openRoom()));
  after(() => room.close());
  beforeEach(async () => (page = await room.look()));
  afterEach(async () => {
    await page.context().close();
    assert.deepEqual(room.complaints, []);
  });

  const visit = (place: string): Promise<unknown> => page.goto(`${room.url}/#/${place}`);
  /** A queue is listed as long as it has jobs that live: this one waits for a day far away. */
  const keepQueue = (queue: string): Promise<unknown> =>
    room.client.enqueue({ type: 'errand', queue, input: {}, runAt: '2100-01-01T00:00:00Z' });
  const press = (name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click();

  test('a cancel says what will happen to the job, and then it happens', async () => {
    const job = await room.client.enqueue(paint, {});
    await visit(`jobs/${job.id}`);
    await page.getByText('the outline').first().waitFor();
    await press('Cancel…');
    const dialog = page.getByRole('dialog', { name: 'Cancel this job?' });
    await dialog.getByText('stops at a safe point, keeping its checkpoint').waitFor();
    await dialog.getByText('what was half done is thrown away').waitFor();
    await dialog.getByRole('button', { name: 'End it now' }).click();
    await page.locator('h1 .state', { hasText: 'canceled' }).waitFor();
  });

  test('a paused queue says why its job does not run, and lets it run when it goes on', async () => {
    await keepQueue('calm');
    await visit('queues');
    const row = page.getByRole('row', { name: /calm/ });
    await row.getByRole('button', { name: 'Pause' }).click();
    await row.getByText('paused').waitFor();
    const job = await room.client.enqueue({ type: 'errand', queue: 'calm', input: {} });
    await visit(`jobs/${job.id}`);
    await page.getByText('The queue "calm" was paused').waitFor();
    await visit('queues');
    await row.getByRole('button', { name: 'Resume' }).click();
    await visit(`jobs/${job.id}`);
    await page.locator('h1 .state', { hasText: 'succeeded' }).waitFor();
  });

  test('the bounds of a queue are set in a form', async () => {
    await keepQueue('narrow');
    await visit('queues');
    const row = page.getByRole('row', { name: /narrow/ });
    await row.getByRole('button', { name: 'Bounds…' }).click();
    await page.getByLabel('Jobs in hand at once').fill('2');
    await press('Save');
    await row.getByText('of 2').waitFor();
  });

  test('a dead letter is replayed with a better input, and both jobs lead to each other', async () => {
    const dead = await room.client.enqueue(errand, { fault: 'wrong key' });
    await room.client.waitForEnd(dead.id);
    await visit('dead-letters');
    const card = page.getByRole('region', { name: 'policy_violation in errand' });
    await card.getByText('wrong key').first().waitFor();
    await card.getByRole('button', { name: 'Edit and replay…' }).first().click();
    await page.getByLabel('Input of the new job').fill('{"fault": }');
    await press('Replay');
    await page.getByText('That is no JSON').waitFor();
    await page.getByLabel('Input of the new job').fill('{}');
    await press('Replay');
    await page.locator('h1 .state', { hasText: 'succeeded' }).waitFor();
    await page.getByRole('link', { name: `…${dead.id.slice(-8)}` }).click();
    await page.getByRole('heading', { name: 'Children' }).waitFor();
    await page.locator('.lines .state', { hasText: 'succeeded' }).waitFor();
  });

  test('dead letters of one fault are replayed together, at a rate', async () => {
    const made = await Promise.all(
      [1, 2, 3].map(() => room.client.enqueue(errand, { fault: 'no bridge' })),
    );
    await Promise.all(made.map(({ id }) => room.client.waitForEnd(id)));
    await visit('dead-letters');
    const card = page.getByRole('region').filter({ hasText: 'no bridge' });
    await card.getByRole('button', { name: 'Replay all 3…' }).click();
    await page.getByLabel('New jobs a second').fill('0.5');
    await page.getByText('spread over 6 s').waitFor();
    await press('Replay 3');
    await page.getByText('3 replayed').waitFor();
    const { items } = await room.client.jobs({ parentJobId: made[2]!.id });
    assert.equal(items.length, 1);
  });

  test('jobs are filtered by the address, chosen by keys and cancelled together', async () => {
    const made = await Promise.all(
      [1, 2].map(() =>
        room.client.enqueue({ type: 'paint', input: {}, correlationId: 'together' }),
      ),
    );
    await visit('jobs?correlationId=together');
    await page.getByRole('link', { name: `…${made[0]!.id.slice(-8)}` }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await press('Cancel 2');
    await page.getByText('Asked 2 to stop').waitFor();
    await page.locator('td .state', { hasText: 'canceled' }).nth(1).waitFor();
  });

  test('a schedule is made in a form, run at once, paused and changed', async () => {
    await visit('schedules');
    await press('New schedule…');
    await page.getByLabel('Name').fill('daily-errand');
    await page.getByLabel('When').fill('61 * * * *');
    await page.getByLabel('Type of the job').fill('errand');
    await press('Save');
    await page.getByRole('alert').waitFor();
    await page.getByLabel('When').fill('0 6 * * *');
    await press('Save');
    const card = page.getByRole('region', { name: 'daily-errand' });
    await card.getByRole('button', { name: 'Run now' }).click();
    await card.getByText('by hand, created').waitFor();
    await card.getByRole('button', { name: 'Pause' }).click();
    await card.getByText('None while paused').waitFor();
    await card.getByRole('button', { name: 'Change…' }).click();
    assert.equal(await page.getByLabel('When').inputValue(), '0 6 * * *');
    await page.getByLabel('When').fill('30 6 * * *');
    await press('Save');
    await card.getByText('30 6 * * *').waitFor();
  });

  test('a webhook is added, and its secret is shown once', async () => {
    await visit('webhooks');
    await press('New webhook…');
    await page.getByLabel('Address').fill('https://receiver.example/jobs');
    await press('Add');
    const secret = page.getByRole('dialog', { name: 'The secret of this webhook' });
    assert.match(await secret.getByLabel('Secret').inputValue(), /^whsec_/);
    await press('I have it');
    await page.getByRole('region', { name: 'https://receiver.example/jobs' }).waitFor();
    assert.equal(await page.getByText('whsec_').count(), 0);
  });
});
