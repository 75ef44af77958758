import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ApiClient } from 'pawl/client';
import { SHORT } from '../support/browser/hostile.ts';
import { Guard } from '../support/browser/guarded-page.ts';
import { onOneStore, type Scene } from '../support/browser/on-every-store.ts';
import { openFixture, type Fixture } from '../support/browser/fixture.ts';

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

function adminOf({ fixture }: Scene): ApiClient {
  return new ApiClient({ url: fixture.url, token: fixture.key() });
}

onOneStore.describe(
  'where credentials are asked for',
  (scene) => {
    test('the page asks for a key, refuses a wrong one and opens with a good one', async () => {
      const { page, fixture } = scene;
      await scene.visit('queues');
      await signIn(page, 'pawl_wrong');
      await page.getByText('This key is not accepted').waitFor();
      await signIn(page, fixture.key());
      await page.getByRole('heading', { name: 'Queues and types' }).waitFor();
      await page.getByText('live', { exact: true }).waitFor();
    });

    test('the key stays in the tab: another one asks again, and so does this one once signed out', async () => {
      const { page, fixture } = scene;
      await signIn(page, fixture.key());
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      const other = await page.context().newPage();
      await other.goto(`${fixture.url}/`);
      await other.getByLabel('API key').waitFor();
      await page.getByRole('button', { name: 'sign out' }).click();
      await page.getByLabel('API key').waitFor();
      assert.equal(await page.evaluate('sessionStorage.length'), 0);
    });

    test('who may only look sees what is not allowed, and why, before any click', async () => {
      const { page } = scene;
      const admin = adminOf(scene);
      const { key } = await admin.keys.create({ name: 'looker', roles: ['viewer'] });
      await admin.enqueue({
        type: 'errand',
        queue: 'calm',
        input: {},
        runAt: '2100-01-01T00:00:00Z',
      });
      await scene.visit('queues');
      await signIn(page, key);
      const button = page
        .getByRole('row', { name: /calm/ })
        .getByRole('button', { name: 'Pause…', disabled: true });
      assert.match((await button.getAttribute('title')) ?? '', /needs the scope queues:write/);
      await button.press('Enter');
      await page.getByRole('status').getByText('queues:write').waitFor();
      assert.equal(await page.getByRole('dialog').count(), 0);
      const menu = page.getByRole('navigation', { name: 'Pages', exact: true });
      await menu.getByRole('link', { name: 'Workers' }).waitFor();
      for (const name of ['Audit', 'Keys', 'Doctor']) {
        assert.equal(await menu.getByRole('link', { name }).count(), 0, name);
      }
    });

    test('who may only look sees on the overview and under failures what is not allowed', async () => {
      const { page } = scene;
      const admin = adminOf(scene);
      const { key } = await admin.keys.create({ name: 'night watch', roles: ['viewer'] });
      const job = await admin.enqueue({ type: 'errand', input: { fault: 'closed' } });
      await admin.waitForEnd(job.id);
      const pause = { isPaused: true, reason: 'the printer is broken' };
      await admin.enqueue({
        type: 'errand',
        queue: 'quiet',
        input: {},
        runAt: '2100-01-01T00:00:00Z',
      });
      await admin.connection.call({ method: 'PATCH', path: '/v1/queues/quiet', body: pause });
      await scene.visit('');
      await signIn(page, key);
      const problem = page.getByRole('region', { name: 'Problems' }).getByRole('listitem');
      const resume = problem.getByRole('button', { name: 'Resume', disabled: true }).first();
      assert.match((await resume.getAttribute('title')) ?? '', /needs the scope queues:write/);
      await scene.visit('failures');
      const card = page.getByRole('region', { name: 'PermanentError in errand' }).first();
      await card.getByText('Details and job').first().click();
      for (const name of ['Run it again…', 'Ignore', 'Run again…']) {
        const button = card.getByRole('button', { name, exact: true, disabled: true }).first();
        assert.match((await button.getAttribute('title')) ?? '', /needs the scope jobs:/, name);
        await button.press('Enter');
        await page.getByRole('status').getByText('Not allowed').waitFor();
      }
      assert.equal(await page.getByRole('dialog').count(), 0);
    });

    test('who may not look reads why on every page, and no page is blank', async () => {
      const { page } = scene;
      const { key } = await adminOf(scene).keys.create({ name: 'hand', roles: ['worker'] });
      await scene.visit('jobs');
      await signIn(page, key);
      for (const path of ['jobs', 'queues', 'dead-letters', 'schedules', 'webhooks']) {
        await scene.visit(path);
        await page.getByRole('alert').first().getByText(':read').waitFor();
      }
    });

    test('names of keys and tenants are text', async () => {
      const admin = adminOf(scene);
      const tenant = 'acme';
      const wish = { name: SHORT, roles: ['admin' as const], tenant };
      const { key } = await admin.keys.create(wish);
      const holder = new ApiClient({ url: scene.fixture.url, token: key });
      const job = await holder.enqueue({ type: 'errand', input: { fault: 'closed' } });
      await holder.waitForEnd(job.id);
      const page = await scene.page.context().newPage();
      const guard = new Guard(page, scene.fixture.url);
      await guard.listen();
      await page.goto(`${scene.fixture.url}/#/jobs/${job.id}`);
      await signIn(page, key);
      await page.getByRole('heading', { level: 1, name: 'errand' }).waitFor();
      await page.getByRole('heading', { name: 'Events and log' }).waitFor();
      await guard.assertHarmless('job');
      await assert.rejects(admin.keys.create({ ...wish, tenant: SHORT }), {
        code: 'VALIDATION_ERROR',
      });
    });
  },
  { PAWL_AUTH: 'on' },
);

describe('a page that asks too often', () => {
  let fixture: Fixture;
  before(async () => (fixture = await openFixture({ PAWL_REQUESTS_PER_SECOND: '4' })));
  after(() => fixture.close());

  test('says so in a sentence, and mends itself', async () => {
    const page = await fixture.look('queues');
    await page.getByRole('heading', { level: 1 }).waitFor();
    // Uses up what may be asked for at once.
    const ask = `Promise.all(Array.from({ length: 40 }, () => fetch('./v1/queues')))`;
    const alert = page.getByRole('alert').first();
    while (!(await alert.isVisible())) await page.evaluate(ask);
    assert.match((await alert.textContent()) ?? '', /requests/);
    await alert.waitFor({ state: 'detached' });
  });
});
