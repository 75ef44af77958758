import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore, type Scene } from '../support/browser/on-every-store.ts';
import { chore, errand, exhibit } from '../support/browser/stage-jobs.ts';
import { until } from '../support/browser/until.ts';

/** Jobs that have failed without a dead letter, one for each fault. */
async function failed({ fixture }: Scene, ...faults: string[]): Promise<string[]> {
  const jobs = await Promise.all(faults.map((fault) => fixture.pawl.enqueue(chore, { fault })));
  await Promise.all(jobs.map((job) => job.ended()));
  return jobs.map(({ id }) => id);
}

async function childrenOf({ fixture }: Scene, id: string): Promise<(string | null)[]> {
  const { items } = await fixture.client.jobs({ parentJobId: id });
  return items.map(({ parentKind }) => parentKind);
}

await onEveryStore.describe('jobs that ended badly', (scene) => {
  test('an empty page says what would be there', async () => {
    await scene.visit('failures');
    await scene.page.getByText('No failures').waitFor();
    await scene.page.keyboard.press('g');
    await scene.page.keyboard.press('d');
    await scene.page.getByRole('heading', { level: 1, name: 'Dead letters' }).waitFor();
    await scene.page.keyboard.press('g');
    await scene.page.keyboard.press('f');
    await scene.page.getByRole('heading', { level: 1, name: 'Failures' }).waitFor();
  });

  test('are grouped by cause, whether or not they have a dead letter, with the hint', async () => {
    const { page, fixture } = scene;
    await failed(scene, 'no room 1', 'no room 2');
    await (await fixture.pawl.enqueue(errand, { fault: 'the road is closed' })).ended();
    await scene.visit('failures');
    const fixtures = page.getByRole('region', { name: 'Refused in chore' });
    await fixtures.getByText('2 times').waitFor();
    await fixtures.getByText('no dead letter').waitFor();
    await fixtures.getByText('not retried: "Refused" is fatal').waitFor();
    const roads = page.getByRole('region', { name: 'PermanentError in errand' });
    await roads.getByText('NO_WAY').waitFor();
    await roads.getByRole('link', { name: '1 dead letter' }).click();
    await page.getByRole('heading', { level: 1, name: 'Dead letters' }).waitFor();
    await page.getByText('the road is closed').first().waitFor();
  });

  test('one of them is run again with a better input', async () => {
    const { page } = scene;
    const [id] = await failed(scene, 'no ladder');
    await scene.visit('failures');
    const card = page.getByRole('region').filter({ hasText: 'no ladder' });
    await card.getByText('Its job').click();
    await card.getByRole('button', { name: 'Run again…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run this chore again' });
    await dialog.getByLabel('Input of the new job').fill('{"fault": }');
    await scene.press('Run again');
    await dialog.getByText('That is no JSON').waitFor();
    await dialog.getByLabel('Input of the new job').fill('{}');
    await scene.press('Run again');
    await page.locator('h1 .state', { hasText: 'succeeded' }).waitFor();
    await page.getByText('· run again').waitFor();
    await page.getByRole('link', { name: `…${id!.slice(-8)}` }).click();
    await page.getByRole('heading', { name: 'Children' }).waitFor();
    await page.locator('.lines').getByText('rerun').waitFor();
    assert.deepEqual(await childrenOf(scene, id!), ['rerun']);
  });

  test('all of a cause are run again, each of them once', async () => {
    const { page } = scene;
    const ids = await failed(scene, 'no paint 1', 'no paint 2', 'no paint 3');
    const rerunAll = async (): Promise<void> => {
      await scene.visit('failures');
      const card = page.getByRole('region').filter({ hasText: 'no paint' });
      await card.getByRole('button', { name: 'Run all again…' }).click();
      await scene.press('Run again');
    };
    await rerunAll();
    await page.getByText('3 running again').waitFor();
    await rerunAll();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    for (const id of ids) assert.deepEqual(await childrenOf(scene, id), ['rerun']);
  });

  test('any ended job is run again from its page', async () => {
    const { page, fixture } = scene;
    const job = await fixture.pawl.enqueue(exhibit, { files: [], result: 1 });
    await job.ended();
    await scene.visit(`jobs/${job.id}`);
    await scene.press('Run again…');
    await page.getByLabel('Input of the new job').waitFor();
    await scene.press('Run again');
    await until(page, `!location.hash.includes('${job.id}')`);
    assert.deepEqual(await childrenOf(scene, job.id), ['rerun']);
    const [id] = await failed(scene, 'no brush');
    await scene.visit(`jobs/${id}`);
    await scene.press('Run again…');
    await page.getByRole('dialog').getByText('no brush').first().waitFor();
    await scene.press('Leave it');
  });

  test('chosen jobs of the list are run again, also those without a dead letter', async () => {
    const { page, fixture } = scene;
    const options = { correlationId: 'mixed' };
    const jobs = await Promise.all([
      fixture.pawl.enqueue(chore, { fault: 'no nail' }, options),
      fixture.pawl.enqueue(errand, { fault: 'no nail' }, options),
      fixture.pawl.enqueue(chore, {}, options),
    ]);
    await Promise.all(jobs.map((job) => job.ended()));
    await scene.visit('jobs?correlationId=mixed');
    await page.getByRole('row').nth(3).waitFor();
    await page.getByLabel('choose all on this page').click();
    await scene.press('Run 3 again');
    await page.getByText('3 running again').waitFor();
    const kinds = await Promise.all(jobs.map(({ id }) => childrenOf(scene, id)));
    assert.deepEqual(kinds, [['rerun'], ['replay'], ['rerun']]);
  });
});
