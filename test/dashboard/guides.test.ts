// The guides inside the running product, in a real browser.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openFixture, type Fixture } from '../support/browser/fixture.ts';

let fixture: Fixture;
before(async () => (fixture = await openFixture()));
after(async () => {
  assert.deepEqual(fixture.complaints, []);
  await fixture.close();
});

test('the menu leads to the guides, and guides lead to one another', async () => {
  const page = await fixture.look();
  await page.getByRole('navigation', { name: 'Pages' }).getByText('Guides').click();
  await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor();
  const article = page.getByRole('article');
  await article.getByRole('link', { name: 'A first job' }).click();
  await page.getByRole('heading', { level: 1, name: 'A first job' }).waitFor();
  await page.waitForFunction("document.title === 'A first job · Guides · Pawl'");
  await article.getByText("export const resize = defineJob('resize', {").first().waitFor();
  await article.getByRole('link', { name: 'stages and checkpoints' }).click();
  await page.getByRole('heading', { level: 1, name: 'Stages and checkpoints' }).waitFor();
  const current = page.getByRole('navigation', { name: 'Guides' }).locator('[aria-current=page]');
  assert.equal(await current.textContent(), 'Stages and checkpoints');
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'A first job' }).waitFor();
  await page.context().close();
});

test('a link to a place in a page of the reference leads to that place', async () => {
  const page = await fixture.look('guides/learn/failing-and-cancelling');
  await page.getByRole('link', { name: 'The classes' }).click();
  const heading = page.getByRole('heading', { name: 'Classes of failed attempts' });
  await heading.waitFor();
  await page.waitForFunction("document.querySelector('main h2') && scrollY > 0");
  const box = await heading.boundingBox();
  assert.ok(box !== null && box.y >= 0 && box.y < 400, `it is at ${box?.y}`);
  await page.context().close();
});

test('a page with nothing on it leads to the guide that says how to begin', async () => {
  const page = await fixture.look('schedules');
  await page.getByRole('link', { name: 'How to create a schedule' }).click();
  await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
  await page.getByRole('article').getByText('One slot creates one job').waitFor();
  await page.context().close();
});

test('a guide that is not there says so and leads back', async () => {
  const page = await fixture.look('guides/learn/nothing');
  await page.getByText('Guide not found').waitFor();
  await page.getByRole('link', { name: 'To all guides' }).click();
  await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor();
  await page.context().close();
});

for (const [label, options] of [
  ['wide', { viewport: { width: 1280, height: 900 } }],
  ['dark', { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' as const }],
  ['narrow', { viewport: { width: 390, height: 844 } }],
] as const) {
  test(`a guide fits a ${label} page`, async () => {
    const page = await fixture.look('guides/learn/testing', options);
    await page.getByRole('heading', { level: 1, name: 'Testing' }).waitFor();
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    assert.equal(await page.evaluate(overflow), 0);
    await page.context().close();
  });
}
