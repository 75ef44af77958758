import type { Page } from 'playwright-core';
import type { Filled } from './filled.ts';
import { until } from './until.ts';

/** A page, and how to tell that it is there and filled. */
export interface Place {
  readonly path: string;
  readonly heading: string;
  readonly content: string;
}

const LISTS: readonly (readonly [path: string, heading: string, content: string])[] = [
  ['', 'Overview', 'Finished jobs'],
  ['jobs', 'Jobs', 'errand'],
  ['failures', 'Failures', 'the road is closed'],
  ['dead-letters', 'Dead letters', 'the road is closed'],
  ['queues', 'Queues and types', 'distributed'],
  ['workers', 'Workers', 'of 16'],
  ['usage', 'Usage', 'errand'],
  ['schedules', 'Schedules', 'weekly'],
  ['webhooks', 'Webhooks', 'https://receiver.example/jobs'],
  ['processes', 'Processes', 'Exhibit'],
  ['lifecycles', 'Lifecycles', 'The lifecycle task'],
  ['audit', 'Audit', 'schedule put'],
  ['keys', 'Keys', 'deploy-bot'],
  ['doctor', 'Doctor', 'Verify all history'],
  ['queues/later', 'Queue later', 'never refused'],
  ['types/errand', 'Type errand', 'the road is closed'],
  ['studio', 'Studio', 'Drop a document here'],
];

/** Every page that has no job of its own. */
export const PLACES: readonly Place[] = LISTS.map(([path, heading, content]) => ({
  path,
  heading,
  content,
}));

/** The page of a job, as it looks in each kind of standing. */
export function jobPlaces({ running, waiting, dead, done }: Filled): Place[] {
  return [
    { path: `jobs/${running.id}`, heading: 'paint', content: 'the outline' },
    { path: `jobs/${waiting.id}`, heading: 'errand', content: 'later' },
    { path: `jobs/${dead.id}`, heading: 'errand', content: 'the road is closed' },
    { path: `jobs/${done.id}`, heading: 'exhibit', content: 'dot.png' },
  ];
}

/** Goes there, and waits until all that it asks the server for has come. */
export async function goTo(page: Page, url: string, place: Place): Promise<void> {
  await page.goto(`${url}/#/${place.path}`);
  await page.getByRole('heading', { level: 1, name: place.heading }).waitFor();
  await page.getByText(place.content).first().waitFor({ state: 'attached' });
  await until(page, `!document.body.textContent.includes('Loading…')`);
}
