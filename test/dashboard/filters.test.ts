import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { onEveryStore, type Scene } from '../support/browser/on-every-store.ts';
import type { Fixture } from '../support/browser/fixture.ts';
import { errand } from '../support/browser/stage-jobs.ts';

const FAR_AWAY = '2100-01-01T00:00:00Z';

interface Named {
  readonly id: string;
}

interface Stage {
  readonly scene: Scene;
  readonly jobs: { lost: Named; locked: Named; quiet: Named };
}

async function fillStage({ client, pawl }: Fixture): Promise<Stage['jobs']> {
  const lost = await pawl.enqueue(errand, { fault: 'the parcel 17 is lost' });
  const locked = await pawl.enqueue(errand, { fault: 'the door is locked' });
  const quiet = await client.enqueue({
    type: 'errand',
    input: {},
    documentId: 'Invoice 7',
    metadata: { customer: 'Rhône & Cie' },
    runAt: FAR_AWAY,
  });
  await Promise.all([lost, locked].map(({ id }) => client.waitForEnd(id)));
  return { lost, locked, quiet };
}

function linkTo(page: Page, { id }: Named): Locator {
  return page.getByRole('link', { name: `…${id.slice(-8)}` });
}

/** These and no others are listed. */
async function listed(page: Page, ...jobs: Named[]): Promise<void> {
  await page.locator(`tbody:has(tr:nth-child(${jobs.length}):last-child)`).waitFor();
  for (const job of jobs) await linkTo(page, job).waitFor();
}

function byText(stage: Stage): void {
  test('text is looked for in what jobs say of themselves, and kept in the address', async () => {
    const { scene, jobs } = stage;
    await scene.visit('jobs');
    await listed(scene.page, jobs.lost, jobs.locked, jobs.quiet);
    await scene.page.getByLabel('Text').fill('rhône');
    await scene.page.keyboard.press('Enter');
    await listed(scene.page, jobs.quiet);
    assert.equal(new URL(scene.page.url()).hash, '#/jobs?text=rh%C3%B4ne');
    await scene.page.reload();
    await listed(scene.page, jobs.quiet);
    assert.equal(await scene.page.getByLabel('Text').inputValue(), 'rhône');
  });

  test('an id in the box for text leads to the job', async () => {
    const { scene, jobs } = stage;
    await scene.visit('jobs');
    await scene.page.getByLabel('Text').fill(jobs.quiet.id);
    await scene.page.keyboard.press('Enter');
    await scene.page.getByRole('heading', { level: 1, name: 'errand' }).waitFor();
    assert.equal(new URL(scene.page.url()).hash, `#/jobs/${jobs.quiet.id}`);
  });
}

function byError(stage: Stage): void {
  test('errors are found by their code and by their text', async () => {
    const { scene, jobs } = stage;
    await scene.visit('jobs?error=no_way');
    await listed(scene.page, jobs.lost, jobs.locked);
    await scene.page.getByLabel('Error').fill('PARCEL');
    await scene.page.keyboard.press('Enter');
    await listed(scene.page, jobs.lost);
  });

  test('a fault leads from the job to all jobs with its fingerprint, and to its letters', async () => {
    const { scene, jobs } = stage;
    const twin = await scene.fixture.pawl.enqueue(errand, { fault: 'the parcel 18 is lost' });
    await scene.fixture.client.waitForEnd(twin.id);
    await scene.visit(`jobs/${jobs.lost.id}`);
    await scene.page.getByRole('link', { name: 'jobs with the same cause' }).click();
    await listed(scene.page, jobs.lost, twin);
    await scene.visit(`jobs/${jobs.lost.id}`);
    await scene.page.getByRole('link', { name: 'policy_violation' }).click();
    const card = scene.page.getByRole('region', { name: 'policy_violation in errand' });
    await card.getByText('2 times').waitFor();
    assert.equal(await card.count(), 1);
  });
}

function byTime(stage: Stage): void {
  test('times are given by the clock of this place and sent in UTC; spans move on', async () => {
    const { scene, jobs } = stage;
    await scene.visit('jobs');
    await scene.page.getByLabel('Created', { exact: true }).selectOption('last hour');
    await linkTo(scene.page, jobs.quiet).waitFor();
    assert.match(scene.page.url(), /within=1h$/);
    await scene.page.getByText('More filters').click();
    await scene.page.getByLabel('Created before').fill('2001-02-03T04:05');
    await scene.page.getByText('No matching jobs').waitFor();
    const { searchParams } = new URL(scene.page.url().replace('#/', ''));
    const wanted = await scene.page.evaluate(() => new Date('2001-02-03T04:05').toISOString());
    assert.deepEqual([...searchParams], [['createdTo', wanted]]);
    await scene.page.getByText(`Created before (${wanted.slice(0, 10)}`).waitFor();
  });

  test('ready views are links, the present one is marked and can be copied', async () => {
    const { scene, jobs } = stage;
    await scene.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await scene.visit('jobs');
    const views = scene.page.getByRole('navigation', { name: 'Views' });
    await views.getByRole('link', { name: 'Failed, last 24 hours' }).click();
    await views.locator('[aria-current=page]', { hasText: 'Failed' }).waitFor();
    await linkTo(scene.page, jobs.lost).waitFor();
    await scene.press('Copy a link to this view');
    await scene.page.getByText('Link to this view copied').waitFor();
    const copied = await scene.page.evaluate('navigator.clipboard.readText()');
    assert.equal(copied, `${scene.fixture.url}/#/jobs?phase=failed&within=24h`);
  });
}

await onEveryStore.describe('the filters of the list', (scene) => {
  const stage = { scene, jobs: {} as Stage['jobs'] };
  before(async () => Object.assign(stage.jobs, await fillStage(scene.fixture)));
  byText(stage);
  byError(stage);
  byTime(stage);
});

await onEveryStore.describe('a search of the list by the API', (scene) => {
  test('finds by all of its filters together, and refuses a time that is none', async () => {
    const { client, pawl, url } = scene.fixture;
    const job = await pawl.enqueue(errand, { fault: 'no bridge' }, { documentId: 'D-1' });
    const { createdAt } = await job.ended();
    const createdFrom = new Date(createdAt.getTime() - 1).toISOString();
    const all = { createdFrom, createdTo: FAR_AWAY, text: 'd-1', error: 'NO_WAY' };
    const { items, nextCursor } = await client.jobs(all);
    assert.deepEqual([items.map(({ id }) => id), nextCursor], [[job.id], null]);
    const [letter] = (await client.deadLetters({ jobId: job.id })).items;
    const { fingerprint } = letter!;
    assert.equal((await client.jobs({ ...all, fingerprint })).items.length, 1);
    for (const none of [
      { createdTo: createdAt.toISOString() },
      { text: 'd-2' },
      { error: 'WAY' },
    ]) {
      assert.deepEqual((await client.jobs({ ...all, ...none })).items, [], JSON.stringify(none));
    }
    assert.equal((await fetch(`${url}/v1/jobs?createdFrom=yesterday`)).status, 400);
    assert.equal((await fetch(`${url}/v1/jobs?text=`)).status, 400);
  });
});
