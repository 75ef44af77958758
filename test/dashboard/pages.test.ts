import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { findingsOn } from '../support/browser/findings.ts';
import { openRoom, type Room } from '../support/browser/room.ts';
import { errand, paint, turns } from '../support/browser/stage-jobs.ts';

/** The place of each page, its heading, and what is on it once it is filled. */
const PAGES = [
  ['', 'Overview', 'Throughput, jobs a second'],
  ['jobs', 'Jobs', 'errand'],
  ['dead-letters', 'Dead letters', 'the road is closed'],
  ['queues', 'Queues and types', 'distributed'],
  ['workers', 'Workers', 'of 16'],
  ['schedules', 'Schedules', 'weekly'],
  ['webhooks', 'Webhooks', 'https://receiver.example/jobs'],
  ['processes', 'Processes', 'What it does'],
  ['lifecycles', 'Lifecycles', 'The lifecycle task'],
  ['studio', 'Studio', 'Drop a document here'],
] as const;

const NARROW = { viewport: { width: 420, height: 800 } };
const LOOKS = [
  { colorScheme: 'light' },
  { colorScheme: 'dark' },
  { colorScheme: 'light', ...NARROW },
] as const;

describe('the pages', () => {
  let room: Room;
  before(async () => {
    room = await openRoom();
    const dead = await room.client.enqueue(errand, { fault: 'the road is closed' });
    await room.client.enqueue(paint, {});
    await room.client.waitForEnd(dead.id);
    const weekly = { kind: 'cron', expression: '0 6 * * 1' } as const;
    await room.client.schedules.put('weekly', { rule: weekly, job: { type: 'errand', input: {} } });
    const page = await room.look('webhooks');
    await page.getByRole('button', { name: 'New webhook…' }).click();
    await page.getByLabel('Address').fill('https://receiver.example/jobs');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'I have it' }).click();
    await page.context().close();
  });
  after(async () => {
    turns.give();
    turns.give();
    await room.close();
  });

  for (const look of LOOKS) {
    const title = 'viewport' in look ? 'on a narrow screen' : `in ${look.colorScheme} colours`;
    test(`each page is filled, named and readable (WCAG AA) ${title}`, async () => {
      const page = await room.look('', look);
      for (const [place, heading, content] of PAGES) {
        await page.goto(`${room.url}/#/${place}`);
        await page.getByRole('heading', { level: 1, name: heading }).waitFor();
        await page.getByText(content).first().waitFor({ state: 'attached' });
        assert.deepEqual(await findingsOn(page), [], heading);
      }
      await page.context().close();
      assert.deepEqual(room.complaints, []);
    });
  }

  test('keys lead from page to page, and a question mark shows them', async () => {
    const page = await room.look();
    await page.getByText('live', { exact: true }).waitFor();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.getByText('next and previous job').waitFor();
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    await page.getByRole('heading', { level: 1, name: 'Workers' }).waitFor();
    await page.waitForFunction("document.title === 'Workers · Pawl'");
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    await page.keyboard.press('/');
    assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Type');
    await page.context().close();
  });

  test('[T22] the overview shows times, failures and the error budget of each type', async () => {
    const page = await room.look();
    const row = page.getByRole('row', { name: /errand/ });
    await row.getByText('100.0 %').waitFor();
    assert.equal(await row.getByRole('meter').getAttribute('aria-valuenow'), '0');
    await row.getByText('overspent').waitFor();
    await page.context().close();
  });

  test('a page or a job that is not there says so and leads back', async () => {
    const page = await room.look('nowhere');
    await page.getByText('There is no such page').waitFor();
    await page.goto(`${room.url}/#/jobs/01890000-0000-7000-8000-000000000000`);
    await page.getByRole('alert').waitFor();
    await page.goto(`${room.url}/#/jobs?type=nothing`);
    await page.getByText('No such jobs').waitFor();
    await page.context().close();
  });
});
