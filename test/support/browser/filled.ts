// A platform with something on every page.
import type { Fixture } from './fixture.ts';
import { errand, exhibit, paint } from './stage-jobs.ts';

/** The smallest picture there is. */
export const PIXEL: string =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9Q' +
  'DwADhgGAWjR9awAAAABJRU5ErkJggg==';

const FAR_AWAY = '2100-01-01T00:00:00Z';
const WEEKLY = { kind: 'cron', expression: '0 6 * * 1', timeZone: 'Europe/Berlin' } as const;

export interface Filled {
  readonly running: { readonly id: string };
  readonly waiting: { readonly id: string };
  readonly dead: { readonly id: string };
  readonly done: { readonly id: string };
}

async function addWebhook(fixture: Fixture): Promise<void> {
  const body = { url: 'https://receiver.example/jobs', description: 'tells the front desk' };
  await fixture.client.connection.call({ method: 'POST', path: '/v1/webhooks', body });
}

/** Puts jobs of every kind, a schedule and a webhook into it. */
export async function fill(fixture: Fixture): Promise<Filled> {
  const { client, pawl } = fixture;
  const dead = await pawl.enqueue(errand, { fault: 'the road is closed' });
  await pawl.enqueue(errand, { fault: 'the bridge is down' });
  const files = [{ name: 'dot.png', contentType: 'image/png', base64: PIXEL }];
  const done = await pawl.enqueue(exhibit, { files, result: { isDone: true }, lines: ['done'] });
  const running = await pawl.enqueue(paint, {});
  const waiting = await client.enqueue({
    type: 'errand',
    queue: 'later',
    input: {},
    runAt: FAR_AWAY,
  });
  await client.schedules.put('weekly', { rule: WEEKLY, job: { type: 'errand', input: {} } });
  await addWebhook(fixture);
  await client.keys.create({ name: 'deploy-bot', roles: ['producer'] });
  await client.waitForEnd(dead.id);
  await client.waitForEnd(done.id);
  return { running, waiting, dead, done };
}
