// The ten questions of a night with trouble, each answered within three clicks of the overview.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { onEveryStore, type Scene } from '../support/browser/on-every-store.ts';
import { plantBacklog, plantWeeks } from '../support/browser/past.ts';
import { delivery, errand, outage, paint } from '../support/browser/stage-jobs.ts';

const CLICKS_MAX = 3;

/** Clicks on the way to an answer: there are not more than three. */
class Way {
  readonly #scene: Scene;
  #clicks = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async click(target: Locator): Promise<void> {
    this.#clicks += 1;
    assert.ok(this.#clicks <= CLICKS_MAX, 'too many clicks');
    await target.click();
  }

  /** To a page of the menu. */
  async menu(name: string): Promise<void> {
    const menu = this.#scene.page.getByRole('navigation', { name: 'Pages', exact: true });
    await this.click(menu.getByRole('link', { name, exact: true }));
  }
}

/** Deliveries fail, for one cause, until somebody mends it. */
async function failDeliveries({ fixture }: Scene): Promise<void> {
  outage.isOn = true;
  const jobs = [1, 2, 3].map(() => fixture.pawl.enqueue(delivery, {}));
  await Promise.all((await Promise.all(jobs)).map((job) => job.ended()));
}

async function makeTrouble(scene: Scene): Promise<void> {
  const { client, pawl } = scene.fixture;
  await failDeliveries(scene);
  await plantBacklog(scene.fixture, 2);
  await plantWeeks(scene.fixture, { before: 1_000, after: 4_000 });
  await pawl.enqueue(paint, {});
  await pawl.enqueue(errand, { fault: 'the road is closed' });
  const later = { type: 'errand', input: {}, runAt: '2100-01-01T00:00:00Z' };
  const exports = { ...later, type: 'chore', queue: 'exports' };
  await client.enqueueMany(Array.from({ length: 30 }, () => exports));
  await client.enqueue({ ...later, queue: 'invoices', metadata: { customer: '4711' } });
  const pause = { isPaused: true, reason: 'the printer is broken' };
  await client.connection.call({ method: 'PATCH', path: '/v1/queues/invoices', body: pause });
  await client.enqueue({ type: 'errand', input: {}, queue: 'invoices', documentId: 'stuck' });
  const rule = { kind: 'cron', expression: '0 3 * * *' } as const;
  const job = { type: 'errand', input: { fault: 'no report' } };
  await client.schedules.put('nightly', { rule, job });
  await client.connection.call({ method: 'POST', path: '/v1/schedules/nightly/run', body: {} });
}

await onEveryStore.describe('at three in the morning', (scene) => {
  before(() => makeTrouble(scene));

  test('what fails, and why? Two clicks: the cause, how often, since when, and its stack', async () => {
    const { page } = scene;
    const way = new Way(scene);
    await way.menu('Failures');
    const card = page.getByRole('region', { name: 'Unreachable in delivery' });
    await card.getByText('3 times').waitFor();
    await card.getByText('the mail server refuses the connection').first().waitFor();
    await card.getByText('not retried: "Unreachable" is fatal').waitFor();
    await way.click(card.getByText('Details and jobs'));
    await card.getByText('stage-jobs.ts').waitFor();
    await card
      .getByRole('row', { name: /failed/ })
      .nth(2)
      .waitFor();
  });

  test('is the backlog growing? No click: by how many, over how long', async () => {
    const ready = scene.page.locator('.figure.warn', { hasText: 'ready' }).first();
    await ready.getByText(/ready, \+\d+ in 1[0-9] min/).waitFor();
  });

  test('the p95 of this week against the last: no click, on the overview', async () => {
    const weeks = scene.page.getByRole('region', { name: 'This week vs. last week' });
    const row = weeks.getByRole('row', { name: /p95 duration/ });
    await row.getByText(/^\+[23]\d\d %$/).waitFor();
    assert.match(await row.innerText(), /996 ms\s+3\.9 s/);
  });

  test('run one cause again after a fix: three clicks, with a look before the last', async () => {
    const { page, fixture } = scene;
    outage.isOn = false;
    const way = new Way(scene);
    await way.menu('Failures');
    const card = page.getByRole('region', { name: 'Unreachable in delivery' });
    await way.click(card.getByRole('button', { name: 'Run all again…' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByText('3 jobs will be run again').waitFor();
    await way.click(dialog.getByRole('button', { name: 'Run 3 jobs again' }));
    const operations = page.getByRole('region', { name: 'Operations' });
    await operations.getByText('3 run again').waitFor();
    const again = await fixture.client.jobs({ type: 'delivery', limit: 3 });
    const ends = await Promise.all(again.items.map(({ id }) => fixture.client.waitForEnd(id)));
    assert.deepEqual(
      ends.map(({ phase }) => phase),
      ['succeeded', 'succeeded', 'succeeded'],
    );
  });

  test('which worker is stuck? Two clicks: its jobs, with type and age', async () => {
    const { page } = scene;
    const way = new Way(scene);
    await way.menu('Workers');
    await way.click(page.getByRole('row', { name: /paint/ }).getByRole('link').first());
    const jobs = page.getByRole('group', { name: 'Jobs in flight' });
    await jobs.getByRole('row', { name: /paint .*running.* ago/ }).waitFor();
  });

  test('why does this job not run? It is found by a word, and says so', async () => {
    const { page } = scene;
    const way = new Way(scene);
    await way.click(page.getByRole('button', { name: 'Find' }));
    await page.keyboard.type('stuck');
    await way.click(page.getByRole('option', { name: /by document/ }));
    await page.getByText('The queue "invoices" was paused').waitFor();
    await page.getByText('the printer is broken').waitFor();
  });

  test('the job of customer 4711', async () => {
    const { page } = scene;
    const way = new Way(scene);
    await way.click(page.getByRole('button', { name: 'Find' }));
    await page.keyboard.type('4711');
    await way.click(page.getByRole('option', { name: /^errand …/ }));
    await page.getByText('"4711"').waitFor();
  });

  test('which tenant uses everything? One click', async () => {
    const way = new Way(scene);
    await way.menu('Usage');
    await scene.page.getByRole('row', { name: /default .*100 %/ }).waitFor();
  });

  test('did the nightly run succeed? One click, and why not', async () => {
    const way = new Way(scene);
    await way.menu('Schedules');
    const card = scene.page.getByRole('region', { name: 'nightly' });
    await card.getByText('failed').waitFor();
    await card.getByText('no report').waitFor();
  });

  test('cancel all of a type: three clicks, with a look before the last', async () => {
    const { page, fixture } = scene;
    const way = new Way(scene);
    await way.click(page.getByRole('button', { name: 'Find' }));
    await page.keyboard.type('cancel chore');
    await way.click(page.getByRole('option', { name: 'Cancel all chore jobs…' }));
    const dialog = page.getByRole('dialog', { name: 'Cancel all jobs with type chore?' });
    await way.click(dialog.getByRole('button', { name: 'Cancel 30 jobs' }));
    await page.getByText('30 cancelled or asked to stop').waitFor();
    const { items } = await fixture.client.jobs({ type: 'chore', phase: 'ready' });
    assert.deepEqual(items, []);
  });
});
