// The pages of single things: a worker, a type, a queue; and those of administration.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { fill, type Filled } from '../support/browser/filled.ts';
import { onOneStore } from '../support/browser/on-every-store.ts';
import { until } from '../support/browser/until.ts';

onOneStore.describe('the page of a thing', (scene) => {
  let filled: Filled;
  before(async () => (filled = await fill(scene.fixture)));

  test('a worker shows its jobs with type and age, its host, and whom it works for', async () => {
    const { page } = scene;
    await scene.visit('workers');
    await page.getByRole('row', { name: /paint/ }).getByRole('link').first().click();
    const jobs = page.getByRole('group', { name: 'Jobs in flight' });
    await jobs.getByRole('row', { name: /paint.*running/ }).waitFor();
    await page.getByText('all tenants').waitFor();
    await until(page, "document.title.startsWith('Worker ')");
    await scene.press('Drain…');
    const dialog = page.getByRole('dialog', { name: 'Drain this worker?' });
    await dialog.getByText('Its job has 30 seconds to finish').waitFor();
    await scene.press('Cancel');
    await jobs.getByRole('link', { name: `…${filled.running.id.slice(-8)}` }).click();
    await page.getByRole('heading', { level: 1, name: 'paint' }).waitFor();
  });

  test('a queue shows what is in it and what bounds it, and is paused with a reason', async () => {
    const { page } = scene;
    await scene.visit('queues');
    await page.getByRole('link', { name: 'later', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Queue later open' }).waitFor();
    await page.getByRole('link', { name: `…${filled.waiting.id.slice(-8)}` }).waitFor();
    await scene.press('Pause…');
    await page.getByLabel('Why').fill('the printer is broken');
    await scene.press('Pause queue');
    await page.getByRole('heading', { level: 1, name: 'Queue later paused' }).waitFor();
    await page.getByText('the printer is broken').waitFor();
    await scene.press('Resume');
    await page.getByRole('heading', { level: 1, name: 'Queue later open' }).waitFor();
  });

  test('a type shows its policy in sentences, its failures, handlers and durations', async () => {
    const { page } = scene;
    await scene.visit('types/errand');
    const failures = page.getByRole('region', { name: 'Failures' });
    await failures.getByText('the bridge is down').waitFor();
    const policy = page.getByRole('region', { name: 'Policy' });
    await policy.getByText(/up to 5; retries/).waitFor();
    await policy.getByText('every failed job is kept as a dead letter').waitFor();
    await page
      .getByRole('region', { name: 'Handlers' })
      .getByText(/version \d/)
      .waitFor();
    await page.getByRole('region', { name: 'Durations and failures' }).getByText('p95').waitFor();
  });

  test('a job is enqueued on the page of its type, field by field where a schema says them', async () => {
    const { page, fixture } = scene;
    const inputSchema = {
      type: 'object',
      required: ['city', 'copies'],
      properties: {
        city: { type: 'string', description: 'where to' },
        copies: { type: 'integer', default: 1 },
        speed: { enum: ['slow', 'fast'] },
        labels: { type: 'array' },
      },
    };
    await fixture.client.putType('letter', { lifecycle: 'task', inputSchema });
    await scene.visit('types/letter');
    await page.getByText('No worker runs this type').waitFor();
    await scene.press('Enqueue…');
    const dialog = page.getByRole('dialog', { name: 'Enqueue letter' });
    await dialog.getByLabel('city').fill('Rome');
    await dialog.getByLabel(/^speed/).selectOption('fast');
    await dialog.getByLabel(/^labels/).fill('["a"]');
    await dialog.getByRole('button', { name: 'Enqueue' }).click();
    await page.locator('h1 .state', { hasText: 'pending' }).waitFor();
    const id = new URL(page.url()).hash.split('/').at(-1)!;
    const input = await fetch(`${fixture.url}/v1/jobs/${id}/input`);
    assert.deepEqual(await input.json(), {
      city: 'Rome',
      copies: 1,
      speed: 'fast',
      labels: ['a'],
    });
  });

  test('the log of a job is narrowed by kind, level and words', async () => {
    const { page } = scene;
    await scene.visit(`jobs/${filled.dead.id}`);
    const log = page.getByRole('list', { name: 'Events and log' });
    await log.getByText('gives up: the road is closed').waitFor();
    const first = await page.locator('main > .card h2, main > .problem').allTextContents();
    assert.match(first.join('|'), /road is closed.*Events and log/s, 'error and log come first');
    await page.getByLabel('Kind').selectOption('log only');
    assert.equal(await log.getByRole('listitem').count(), 2);
    await page.getByLabel('Level').selectOption('error and above');
    await until(page, "document.querySelectorAll('.note-list li').length === 1");
    await page.getByLabel('Level').selectOption('all levels');
    await page.getByLabel('Contains').fill('ASKED');
    await until(page, "document.querySelectorAll('.note-list li').length === 1");
    await page.getByLabel('Contains').fill('nothing like it');
    await page.getByText('No matching events').waitFor();
  });
});

onOneStore.describe('the pages of administration', (scene) => {
  before(async () => void (await fill(scene.fixture)));

  test('a key is made, shown once, rotated and revoked, and the audit log says so', async () => {
    const { page } = scene;
    await scene.visit('keys');
    await scene.press('New key…');
    await page.getByLabel('Name').fill('night-shift');
    await page.getByLabel('Role').selectOption('viewer');
    await scene.press('Create key');
    const made = page.getByRole('dialog', { name: 'The key night-shift' });
    assert.match(await made.getByRole('textbox', { name: 'Key' }).inputValue(), /^pawl_/);
    await scene.press('Done');
    const row = page.getByRole('row', { name: /night-shift/ });
    await row.getByText('good').waitFor();
    await row.getByRole('button', { name: 'Rotate…' }).click();
    await scene.press('Rotate key');
    await scene.press('Done');
    await page.getByText('rotated, still valid').waitFor();
    await row.first().getByRole('button', { name: 'Revoke…' }).click();
    await page.getByText('All servers reject it within 5 seconds').waitFor();
    await scene.press('Revoke key');
    await row.getByText('revoked').waitFor();
    await scene.visit('audit');
    await page.getByRole('cell', { name: 'key revoked' }).waitFor();
    await page.getByLabel('Filter this page').fill('weekly');
    await page.getByRole('cell', { name: 'key revoked' }).waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: 'schedule put' }).waitFor();
  });

  test('the doctor says what it found, and checks all history on demand', async () => {
    const { page } = scene;
    await scene.visit('doctor');
    await page.locator('.problems li').first().waitFor();
    await scene.press('Verify');
    await page.getByText('all invariants hold').waitFor();
  });

  test('usage says who has how much in flight', async () => {
    const { page } = scene;
    await scene.visit('usage');
    const row = page.getByRole('row', { name: /default/ });
    await row.getByText('100 %').waitFor();
    await row.getByRole('link', { name: 'paint' }).waitFor();
  });

  test('a schedule says how its last run ended', async () => {
    const { page } = scene;
    await scene.visit('schedules');
    const card = page.getByRole('region', { name: 'weekly' });
    await card.getByRole('button', { name: 'Run now' }).click();
    await card.getByText('succeeded').waitFor();
    await card.getByText(/after \d/).waitFor();
  });
});
