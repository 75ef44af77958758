import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneStore, type Scene } from '../support/browser/on-every-store.ts';
import { errand } from '../support/browser/stage-jobs.ts';
import { until } from '../support/browser/until.ts';

function enqueueTogether({ fixture }: Scene, correlationId: string, count: number) {
  return Promise.all(
    Array.from({ length: count }, () =>
      fixture.client.enqueue({ type: 'paint', input: {}, correlationId }),
    ),
  );
}

onOneStore.describe('what can be done on the list of jobs', (scene) => {
  test('jobs are filtered by the address, chosen by keys and cancelled together', async () => {
    const { page } = scene;
    const made = await enqueueTogether(scene, 'together', 2);
    await scene.visit('jobs?correlationId=together');
    await page.getByRole('link', { name: `…${made[0]!.id.slice(-8)}` }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await scene.press('Cancel 2…');
    const asked = page.getByRole('dialog', { name: 'Cancel these 2 jobs?' });
    await asked.getByText('2 in flight: asked to stop').waitFor();
    assert.equal(await asked.getByRole('link').count(), 2, 'a sample');
    await scene.press('Cancel 2 jobs');
    await page.getByText('2 cancelled or asked to stop').waitFor();
    await page.locator('td .state', { hasText: 'canceled' }).nth(1).waitFor();
  });

  test('failed jobs are chosen with one click and run again together', async () => {
    const { page, fixture } = scene;
    const correlationId = 'closed roads';
    const made = await Promise.all(
      [1, 2].map(() => fixture.pawl.enqueue(errand, { fault: 'closed' }, { correlationId })),
    );
    await Promise.all(made.map(({ id }) => fixture.client.waitForEnd(id)));
    await scene.visit(`jobs?correlationId=${encodeURIComponent(correlationId)}`);
    await page.getByLabel('select all on this page').click();
    await scene.press('Run 2 again…');
    await page.getByText('2 are replayed from their dead letters').waitFor();
    await scene.press('Run again');
    await page.getByText('2 running again').waitFor();
    for (const { id } of made) {
      assert.equal((await fixture.client.jobs({ parentJobId: id })).items.length, 1);
    }
  });

  test('j and k move, Enter opens, Escape lets go', async () => {
    const { page } = scene;
    await enqueueTogether(scene, 'keys', 2);
    await scene.visit('jobs?correlationId=keys');
    await page.getByRole('row').nth(2).waitFor();
    const hrefOf = (link: object): string => ('href' in link ? String(link.href) : '');
    const rows = await page
      .locator('tbody tr a')
      .evaluateAll((links) => links.map((link) => ('href' in link ? String(link.href) : '')));
    const at = page.locator('tr[aria-current] a');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    assert.equal(await at.evaluate(hrefOf), rows[0]);
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Cancel 1…' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Cancel 1…' }).waitFor({ state: 'detached' });
    assert.equal(await at.count(), 0);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(rows[0]!);
    await page.getByRole('heading', { level: 1, name: 'paint' }).waitFor();
  });

  test('a view is saved by keeping its address', async () => {
    const { page } = scene;
    await enqueueTogether(scene, 'kept view', 1);
    await scene.visit('jobs');
    await page.getByText('More filters').click();
    await page.getByLabel('Correlation').fill('kept view');
    await page.getByLabel('Correlation').press('Enter');
    await until(page, "location.hash.includes('correlationId=kept')");
    await page.getByLabel('Phase').selectOption('executing');
    await until(page, "location.hash.includes('phase=executing')");
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('row', { name: /paint/ }).waitFor();
    assert.equal(await other.getByLabel('Correlation').inputValue(), 'kept view');
    assert.equal(await other.getByLabel('Phase').inputValue(), 'executing');
    assert.equal(await other.locator('tbody tr').count(), 1);
  });

  test('the list stays as it is while it is worked on, and says what came meanwhile', async () => {
    const { page } = scene;
    const [first] = await enqueueTogether(scene, 'in work', 1);
    await scene.visit('jobs?correlationId=in%20work');
    await page.getByRole('link', { name: `…${first!.id.slice(-8)}` }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await enqueueTogether(scene, 'in work', 2);
    await page.getByRole('button', { name: '2 newer' }).waitFor();
    assert.equal(await page.locator('tbody tr').count(), 1);
    await page.getByRole('button', { name: '2 newer' }).click();
    await page.locator('tbody tr').nth(2).waitFor();
  });

  test('dead letters are replayed one by one with a better input, and lead to each other', async () => {
    const { page, fixture } = scene;
    const dead = await fixture.pawl.enqueue(errand, { fault: 'wrong key' });
    await fixture.client.waitForEnd(dead.id);
    await scene.visit('dead-letters');
    const card = page.getByRole('region', { name: 'policy_violation in errand' });
    await card.getByText('wrong key').first().waitFor();
    await card
      .filter({ hasText: 'wrong key' })
      .getByRole('button', { name: 'Edit and replay…' })
      .click();
    await page.getByLabel('Input of the new job').fill('{"fault": }');
    await scene.press('Replay');
    await page.getByText('Not valid JSON').waitFor();
    await page.getByLabel('Input of the new job').fill('{}');
    await scene.press('Replay');
    await page.locator('h1 .state', { hasText: 'succeeded' }).waitFor();
    await page.getByRole('link', { name: `…${dead.id.slice(-8)}` }).click();
    await page.getByRole('heading', { name: 'Children' }).waitFor();
    await page.locator('.lines .state', { hasText: 'succeeded' }).waitFor();
    await scene.visit('dead-letters');
    await page.getByLabel('include replayed').check();
    await page.getByText('replayed as').first().waitFor();
  });

  test('dead letters of one fault are replayed together, at a rate', async () => {
    const { page, fixture } = scene;
    const made = await Promise.all(
      [1, 2, 3].map(() => fixture.pawl.enqueue(errand, { fault: 'no bridge' })),
    );
    await Promise.all(made.map(({ id }) => fixture.client.waitForEnd(id)));
    await scene.visit('dead-letters');
    const card = page.getByRole('region').filter({ hasText: 'no bridge' });
    await card.getByRole('button', { name: 'Replay all 3…' }).click();
    await page.getByLabel('New jobs per second').fill('0.5');
    await page.getByText('spread over 6 s').waitFor();
    await scene.press('Replay 3');
    await page.getByText('3 replayed').waitFor();
    const { items } = await fixture.client.jobs({ parentJobId: made[2]!.id });
    assert.equal(items.length, 1);
  });
});
