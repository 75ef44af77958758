import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { axeFindingsOn } from '../support/browser/axe.ts';
import { fill, type Filled } from '../support/browser/filled.ts';
import { onEveryStore, type Scene } from '../support/browser/on-every-store.ts';
import { until } from '../support/browser/until.ts';

async function openPalette({ page }: Scene): Promise<Locator> {
  await page.getByText('live', { exact: true }).waitFor();
  await page.keyboard.press('Control+k');
  const box = page.getByRole('combobox', { name: 'Find jobs, pages and actions' });
  await box.waitFor();
  return box;
}

await onEveryStore.describe('one box for everything', (scene) => {
  let filled: Filled;
  before(async () => {
    filled = await fill(scene.fixture);
    const customer = { type: 'errand', input: {}, metadata: { customer: 'no. 4711' } };
    await scene.fixture.client.enqueue(customer);
  });

  test('finds the job of a customer, by keys alone', async () => {
    const { page } = scene;
    const box = await openPalette(scene);
    await box.fill('4711');
    const hit = page.getByRole('option', { name: /^errand …/ });
    await hit.waitFor();
    assert.deepEqual(await axeFindingsOn(page), []);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'errand' }).waitFor();
    await page.getByText('no. 4711').waitFor();
    await until(page, '/^errand ….* · Pawl$/.test(document.title)');
  });

  test('finds jobs by id and by error, says how far it looked, and leads on to the list', async () => {
    const { page } = scene;
    const box = await openPalette(scene);
    await box.fill(filled.dead.id);
    await page.getByRole('option', { name: /by id/ }).waitFor();
    await box.fill('bridge is down');
    await page.getByRole('option', { name: /the bridge is down/ }).waitFor();
    await page.getByText('Inputs and results are not searched').waitFor();
    await page.getByRole('option', { name: /Show all jobs matching/ }).click();
    await until(page, "location.hash === '#/jobs?text=bridge+is+down'");
  });

  test('leads to pages, types and actions', async () => {
    const { page } = scene;
    const box = await openPalette(scene);
    await box.fill('work');
    await page.getByRole('option', { name: /^Workers/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Workers' }).waitFor();
    await openPalette(scene);
    await page.keyboard.type('enqueue paint');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Enqueue paint' }).waitFor();
    await page.keyboard.press('Escape');
    await openPalette(scene);
    await page.keyboard.type('compact');
    await page.keyboard.press('Enter');
    await until(page, "document.documentElement.dataset.density === 'compact'");
    await page.reload();
    await until(page, "document.documentElement.dataset.density === 'compact'");
  });

  test('arrows move, Escape closes and gives the focus back', async () => {
    const { page } = scene;
    const box = await openPalette(scene);
    const current = (): Promise<string | null> => box.getAttribute('aria-activedescendant');
    assert.equal(await current(), 'hit-0');
    await page.keyboard.press('ArrowDown');
    await until(page, "document.querySelector('#hit-1').ariaSelected === 'true'");
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await until(page, "document.querySelector('[role=option]:last-of-type') !== null");
    assert.notEqual(await current(), 'hit-0');
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'detached' });
  });
});

await onEveryStore.describe('the list of jobs as people like it', (scene) => {
  before(async () => void (await fill(scene.fixture)));

  test('a click on a row opens it, and back leads to where one was', async () => {
    const { page, fixture } = scene;
    const wish = { type: 'errand', input: {}, runAt: '2100-01-01T00:00:00Z', queue: 'long' };
    await fixture.client.enqueueMany(Array.from({ length: 60 }, () => wish));
    await scene.visit('jobs?queue=long');
    const rows = page.locator('tbody tr');
    await rows.nth(49).scrollIntoViewIfNeeded();
    const y = (): Promise<number> => page.evaluate('scrollY');
    await until(page, 'scrollY > 200');
    await until(page, "Object.keys(JSON.parse(sessionStorage['pawl-scroll'] ?? '{}')).length > 0");
    const before = await y();
    await rows.nth(49).locator('td').nth(2).click();
    await page.getByRole('heading', { level: 1, name: 'errand' }).waitFor();
    await until(page, 'scrollY === 0');
    await page.goBack();
    await rows.nth(49).waitFor();
    await until(page, `Math.abs(scrollY - ${before}) < 60`);
  });

  test('columns are chosen and sorted by, and stay so', async () => {
    const { page } = scene;
    await scene.visit('jobs');
    await page.getByText('Columns', { exact: true }).click();
    await page.getByRole('checkbox', { name: 'Queue', exact: true }).check();
    await page.getByRole('columnheader', { name: 'Queue' }).getByRole('button').click();
    await page.getByText('sorted within this page').waitFor();
    assert.equal(
      await page.getByRole('columnheader', { name: 'Queue' }).getAttribute('aria-sort'),
      'descending',
    );
    const queues = await page.locator('tbody tr td:last-child').allTextContents();
    assert.deepEqual(
      queues,
      queues.toSorted((one, two) => two.localeCompare(one)),
    );
    await page.reload();
    await page.getByRole('columnheader', { name: 'Queue' }).waitFor();
    assert.match(page.url(), /sort=-queue/);
  });

  test('a view is saved under a name, found again, and forgotten', async () => {
    const { page } = scene;
    await scene.visit('jobs?type=errand&phase=dead');
    await scene.press('Save this view…');
    await page.getByLabel('Name of the view').fill('Lost errands');
    await scene.press('Save');
    await scene.visit('jobs');
    await page.reload();
    await page.getByRole('link', { name: 'Lost errands' }).click();
    await until(page, "location.hash.includes('phase=dead')");
    await page
      .getByRole('link', { name: 'Lost errands' })
      .and(page.locator('[aria-current]'))
      .waitFor();
    await scene.press('Delete the view Lost errands');
    await page.getByRole('link', { name: 'Lost errands' }).waitFor({ state: 'detached' });
  });

  test('ids are copied by a click and by a key', async () => {
    const { page } = scene;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await scene.visit('jobs?queue=later');
    await page.locator('tbody tr').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('c');
    await page.getByText('Job id copied').waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    await scene.visit(`jobs/${copied}`);
    await page.getByRole('button', { name: copied }).click();
    await page.getByText('Job id copied').waitFor();
  });

  test('all jobs of a filter are cancelled after a look at what that is', async () => {
    const { page, fixture } = scene;
    const wish = { type: 'errand', input: {}, runAt: '2100-01-01T00:00:00Z', queue: 'doomed' };
    await fixture.client.enqueueMany(Array.from({ length: 12 }, () => wish));
    await scene.visit('jobs?queue=doomed');
    await scene.press('Cancel all matching…');
    const dialog = page.getByRole('dialog', { name: 'Cancel all jobs with queue doomed?' });
    await dialog.getByText('12 jobs will be cancelled').waitFor();
    await dialog.getByRole('button', { name: 'Cancel 12 jobs' }).click();
    const operations = page.getByRole('region', { name: 'Operations' });
    await operations.getByText('12 cancelled or asked to stop').waitFor();
    const { items } = await fixture.client.jobs({ queue: 'doomed', phase: 'cancelled' });
    assert.equal(items.length, 12);
  });
});
