import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fill, type Filled } from '../support/browser/filled.ts';
import { goTo, jobPlaces, type Place, PLACES } from '../support/browser/places.ts';
import { openFixture, type Fixture } from '../support/browser/fixture.ts';
import { errand } from '../support/browser/stage-jobs.ts';
import { watchWhile } from '../support/browser/watch.ts';

/** What is called good; a heading that moves by a line is about a tenth of it. */
const SHIFT_MAX = 0.1;

/** From the first moment of the page on, without what a hand asked for. */
const COUNT_SHIFTS = `globalThis.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) {
      if (!hadRecentInput) globalThis.shift += value;
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

/** Two frames later everything that was drawn has been counted. */
const SHIFT = `new Promise((resolve) => requestAnimationFrame(() =>
  requestAnimationFrame(() => setTimeout(() => resolve(globalThis.shift), 50))))`;

describe('nothing jumps', () => {
  let fixture: Fixture;
  let filled: Filled;
  before(async () => {
    fixture = await openFixture();
    filled = await fill(fixture);
  });
  after(() => fixture.close());

  const shiftOf = async (place: Place, width: number): Promise<number> => {
    const page = await fixture.look('', { viewport: { width, height: 900 } });
    await page.addInitScript(COUNT_SHIFTS);
    // A load of its own: another place of the same document is none.
    await page.goto('about:blank');
    await goTo(page, fixture.url, place);
    const shift = Number(await page.evaluate(SHIFT));
    await page.context().close();
    return shift;
  };

  for (const width of [1_440, 390]) {
    test(`while a page is loaded, ${width} pixels wide`, async () => {
      for (const place of [...PLACES, ...jobPlaces(filled)]) {
        const shift = await shiftOf(place, width);
        assert.ok(shift <= SHIFT_MAX, `${place.heading} (${place.path}) moved by ${shift}`);
      }
    });
  }

  test('while jobs come and go', async () => {
    for (const path of ['', 'queues', 'workers']) {
      const page = await fixture.look(path);
      await page.getByText('live', { exact: true }).waitFor();
      await page.getByText('Loading…').first().waitFor({ state: 'detached' });
      const { shift } = await watchWhile(page, async () => {
        const made = await Promise.all([1, 2, 3].map(() => fixture.pawl.enqueue(errand, {})));
        await Promise.all(made.map(({ id }) => fixture.client.waitForEnd(id)));
        await page.evaluate(SHIFT);
      });
      assert.ok(shift <= SHIFT_MAX, `${path} moved by ${shift}`);
      await page.context().close();
    }
  });
});
