// The dashboard as a user of a tenant opens it, who sees the own jobs and the shared ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { ApiClient } from 'pawl/client';
import { onOneStore, type Scene } from '../support/browser/on-every-store.ts';
import { PLACES } from '../support/browser/places.ts';
import { until } from '../support/browser/until.ts';

const MENU = ['Jobs', 'Processes', 'Lifecycles', 'Guides'];
const PATHS = ['', 'jobs', 'processes', 'lifecycles'];

interface Person {
  readonly key: string;
  readonly api: ApiClient;
}

async function person({ fixture }: Scene, name: string, groups: string[] = []): Promise<Person> {
  const admin = new ApiClient({ url: fixture.url, token: fixture.key() });
  const { key } = await admin.keys.create({ name, roles: ['user'], groups });
  return { key, api: new ApiClient({ url: fixture.url, token: key }) };
}

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor();
}

async function loaded(page: Page): Promise<void> {
  await until(page, `!document.body.textContent.includes('Loading…')`);
}

onOneStore.describe(
  'the dashboard of a user',
  (scene) => {
    test('offers the pages that are for users, and asks the server for nothing else', async () => {
      const { page, fixture } = scene;
      const { key, api } = await person(scene, 'ada');
      const job = await api.enqueue({ type: 'exhibit', input: { files: [] } });
      await api.waitForEnd(job.id);
      const refused: string[] = [];
      page.on('response', (answer) => {
        if (answer.status() === 403) refused.push(new URL(answer.url()).pathname);
      });
      await scene.visit('');
      await signIn(page, key);
      await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
      const menu = page.getByRole('navigation', { name: 'Pages', exact: true });
      await menu.getByRole('link', { name: 'Processes' }).waitFor();
      const titles = await menu.locator('a.entry').allTextContents();
      assert.deepEqual(titles, MENU);
      for (const path of [...PATHS, `jobs/${job.id}`]) {
        await page.goto(`${fixture.url}/#/${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await loaded(page);
        assert.equal(await page.getByRole('alert').count(), 0, path);
      }
      assert.deepEqual(refused, []);
      assert.deepEqual(fixture.complaints, []);
    });

    test('every other page says that it is not for users', async () => {
      const { page, fixture } = scene;
      await scene.visit('');
      await signIn(page, (await person(scene, 'bob')).key);
      const others = PLACES.map(({ path }) => path).filter((path) => !PATHS.includes(path));
      for (const path of [...others, 'workers/x']) {
        await page.goto(`${fixture.url}/#/${path}`);
        if (path === 'studio')
          await page.getByText('Page not found').or(notForUsers(page)).waitFor();
        else await notForUsers(page).waitFor();
      }
    });

    test('a list without checkboxes, and a job that is shared without actions', async () => {
      const { page, fixture } = scene;
      const owner = await person(scene, 'eve');
      const member = await person(scene, 'mia', ['planners']);
      const mine = await owner.api.enqueue({
        type: 'exhibit',
        input: { files: [] },
        runAt: '2100-01-01T00:00:00Z',
      });
      const path = `/v1/jobs/${mine.id}/access`;
      const body = { groups: ['planners'] };
      await owner.api.connection.call({ method: 'PUT', path, body });
      await scene.visit('jobs');
      await signIn(page, member.key);
      await page.getByRole('row', { name: /exhibit/ }).waitFor();
      assert.equal(await page.getByRole('checkbox').count(), 0);
      await page.goto(`${fixture.url}/#/jobs/${mine.id}`);
      await page.getByRole('heading', { level: 1, name: 'exhibit' }).waitFor();
      await loaded(page);
      assert.equal(await page.getByRole('button', { name: 'Cancel…' }).count(), 0);
      await page.getByRole('button', { name: 'sign out' }).click();
      await signIn(page, owner.key);
      await page.getByRole('button', { name: 'Cancel…' }).click();
      await page.getByRole('button', { name: 'Cancel job' }).click();
      await page.getByText('cancelled').first().waitFor();
      assert.equal(await page.getByRole('button', { name: /Run again|Replay/ }).count(), 0);
    });

    test('an owner shares a job with a group, whose members see whose it is', async () => {
      const { page, fixture } = scene;
      const owner = await person(scene, 'ivy');
      const member = await person(scene, 'tom', ['night shift']);
      const job = await owner.api.enqueue({
        type: 'exhibit',
        input: { files: [] },
        runAt: '2100-01-01T00:00:00Z',
      });
      await scene.visit(`jobs/${job.id}`);
      await signIn(page, owner.key);
      await page.getByText('Nobody', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Share…' }).click();
      await page.getByLabel('Groups').fill(' night shift, ');
      await page.getByRole('button', { name: 'Share', exact: true }).click();
      await page.getByText('night shift', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'sign out' }).click();
      await signIn(page, member.key);
      await page.goto(`${fixture.url}/#/jobs`);
      await page.getByRole('row', { name: /exhibit.*ivy/ }).waitFor();
      await page.goto(`${fixture.url}/#/jobs/${job.id}`);
      await page.getByText('You can read it; only ivy can change it.').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Share…' }).count(), 0);
    });

    test('an administrator makes a key of a user in groups on the page of keys', async () => {
      const { page, fixture } = scene;
      await scene.visit('keys');
      await signIn(page, fixture.key());
      await page.getByRole('button', { name: 'New key…' }).click();
      await page.getByLabel('Name').fill('zoe');
      await page.getByLabel('Role').selectOption('user');
      await page.getByLabel('Groups').fill('planners, night shift');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('button', { name: 'Done' }).click();
      const row = page.getByRole('row', { name: /zoe/ });
      await row.getByText('in planners, night shift').waitFor();
    });
  },
  { PAWL_AUTH: 'on' },
);

function notForUsers(page: Page) {
  return page.getByText('Not for your role');
}
