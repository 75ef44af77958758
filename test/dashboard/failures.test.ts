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

await onEveryStore.describe('failed jobs', (scene) => {
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
    await card.getByText('Details and job').click();
    await card.getByText('Not run again yet').waitFor();
    await card.getByText('Worker versions, last job').waitFor();
    await card.getByText('Tenants').waitFor();
    await card.getByRole('button', { name: 'Run again…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run this chore again' });
    await dialog.getByLabel('Input of the new job').fill('{"fault": }');
    await scene.press('Run again');
    await dialog.getByText('Not valid JSON').waitFor();
    await dialog.getByLabel('Input of the new job').fill('{}');
    await dialog.getByLabel('Keep the results of finished stages').check();
    const asked = page.waitForRequest((request) => request.url().endsWith('/rerun'));
    await scene.press('Run again');
    assert.deepEqual((await asked).postDataJSON(), { input: {}, keep: true });
    await page.locator('h1 .state', { hasText: 'succeeded' }).waitFor();
    await page.getByText('· rerun').waitFor();
    await page.getByRole('link', { name: `…${id!.slice(-8)}` }).click();
    await page.getByRole('heading', { name: 'Children' }).waitFor();
    await page.locator('.lines').getByText('rerun').waitFor();
    assert.deepEqual(await childrenOf(scene, id!), ['rerun']);
  });

  test('what was typed stays while more jobs fail and the page is drawn again', async () => {
    const { page } = scene;
    await failed(scene, 'no bucket');
    await scene.visit('failures');
    const card = page.getByRole('region').filter({ hasText: 'no bucket' });
    await card.getByText('Details and job').click();
    await card.getByRole('button', { name: 'Run again…' }).click();
    const input = page.getByRole('dialog').getByLabel('Input of the new job');
    await input.fill('{"typed": true}');
    const [id] = await failed(scene, 'no bucket');
    // Behind the dialog, where roles cannot be seen.
    await page.locator('td', { hasText: `…${id!.slice(-8)}` }).waitFor();
    assert.equal(await input.inputValue(), '{"typed": true}');
    await scene.press('Cancel');
  });

  test('all of a cause are run again, each of them once', async () => {
    const { page } = scene;
    const ids = await failed(scene, 'no paint 1', 'no paint 2', 'no paint 3');
    await scene.visit('failures');
    const card = page.getByRole('region').filter({ hasText: 'no paint' });
    await card.getByRole('button', { name: 'Run all again…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('3 jobs will be run again').waitFor();
    await dialog.getByLabel('Jobs per second').fill('');
    await scene.press('Run 3 jobs again');
    const operations = page.getByRole('region', { name: 'Operations' });
    await operations.getByText('3 run again').waitFor();
    for (const id of ids) assert.deepEqual(await childrenOf(scene, id), ['rerun']);
  });

  test('reruns that nobody has begun are undone', async () => {
    const { page, fixture } = scene;
    const [id] = await failed(scene, 'no glue');
    await fixture.pawl.queue('default').pause();
    await scene.visit('failures');
    const card = page.getByRole('region').filter({ hasText: 'no glue' });
    await card.getByRole('button', { name: 'Run it again…' }).click();
    await scene.press('Run 1 job again');
    const row = page.getByRole('region', { name: 'Operations' }).getByRole('row').nth(1);
    await row.getByText('1 run again').waitFor();
    await row.getByRole('button', { name: 'Undo' }).click();
    await row.getByText('1 of them cancelled').waitFor();
    const { items } = await fixture.client.jobs({ parentJobId: id! });
    assert.equal(items[0]!.phase, 'cancelled');
    await fixture.pawl.queue('default').resume();
  });

  test('a cause that is ignored is hidden, and can be shown again', async () => {
    const { page } = scene;
    await failed(scene, 'no string');
    await scene.visit('failures');
    const card = page.getByRole('region').filter({ hasText: 'no string' });
    await card.getByRole('button', { name: 'Ignore' }).click();
    await card.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Show ignored' }).click();
    await card.getByRole('button', { name: 'Stop ignoring' }).click();
    await card.getByRole('button', { name: 'Ignore' }).waitFor();
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
    await scene.press('Cancel');
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
    await page.getByLabel('select all on this page').click();
    await scene.press('Run 3 again…');
    await scene.press('Run again');
    await page.getByText('3 running again').waitFor();
    const kinds = await Promise.all(jobs.map(({ id }) => childrenOf(scene, id)));
    assert.deepEqual(kinds, [['rerun'], ['replay'], ['rerun']]);
  });
});
