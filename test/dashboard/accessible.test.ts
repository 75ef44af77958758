import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { axeFindingsOn } from '../support/browser/axe.ts';
import { fill } from '../support/browser/filled.ts';
import { findingsOn } from '../support/browser/findings.ts';
import { goTo, jobPlaces, type Place, PLACES } from '../support/browser/places.ts';
import { openFixture, type Fixture } from '../support/browser/fixture.ts';

const WIDTHS = { wide: 1_440, narrow: 390 };
const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  (['wide', 'narrow'] as const).map((width) => ({ colorScheme, width })),
);

/** Each look of the page as it stands, so that it is loaded once. */
async function findingsInEveryLook(page: Page): Promise<string[]> {
  const findings: string[] = [];
  for (const { colorScheme, width } of LOOKS) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width: WIDTHS[width], height: 900 });
    const found = [...(await axeFindingsOn(page)), ...(await findingsOn(page))];
    findings.push(...found.map((text) => `${colorScheme}, ${width}: ${text}`));
  }
  return findings;
}

describe('every page, light and dark, wide and narrow', () => {
  let fixture: Fixture;
  let page: Page;
  before(async () => {
    fixture = await openFixture();
    page = await fixture.look();
  });
  after(() => fixture.close());

  const assertAccessible = async (places: readonly Place[]): Promise<void> => {
    const findings: string[] = [];
    for (const place of places) {
      await goTo(page, fixture.url, place);
      const found = await findingsInEveryLook(page);
      findings.push(...found.map((text) => `${place.heading}, ${text}`));
    }
    assert.deepEqual(findings, []);
  };

  test('has no finding of axe-core while it is empty', async () => {
    await assertAccessible(PLACES.map((place) => ({ ...place, content: place.heading })));
  });

  test('has no finding of axe-core once it is filled', async () => {
    const filled = await fill(fixture);
    await assertAccessible([...PLACES, ...jobPlaces(filled)]);
    assert.deepEqual(fixture.complaints, []);
  });

  test('is found wanting where a control has no name or text is too faint', async () => {
    await page.goto(`${fixture.url}/#/jobs`);
    await page.evaluate(
      `document.querySelector('main').insertAdjacentHTML('beforeend',
        '<button></button><p style="color: #999; background: #aaa">hardly seen</p>')`,
    );
    const findings = await axeFindingsOn(page);
    assert.deepEqual(
      findings.map((text) => text.split(':')[0]),
      ['critical button-name', 'serious color-contrast'],
    );
  });
});
