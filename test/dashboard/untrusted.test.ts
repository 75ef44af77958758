import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { Guard } from '../support/browser/guarded-page.ts';
import { ALL, CORPUS, poison, type Poisoned, SHORT } from '../support/browser/hostile.ts';
import { onOneStore, type Scene } from '../support/browser/on-every-store.ts';
import { PLACES } from '../support/browser/places.ts';
import { exhibit } from '../support/browser/stage-jobs.ts';
import { until } from '../support/browser/until.ts';

async function guarded(scene: Scene): Promise<{ page: Page; guard: Guard }> {
  const page = await scene.page.context().newPage();
  const guard = new Guard(page, scene.fixture.url);
  await guard.listen();
  return { page, guard };
}

/** Where the corpus must be read, on the page of each job. */
const SEEN_OF_JOBS = {
  running: ['Text', SHORT],
  dead: ['Errors', ALL.slice(0, 200)],
  // As JSON, whose quotes are escaped.
  done: ['Result', '<img src=x onerror='],
  cancelled: ['Events and log', SHORT],
} as const;

onOneStore.describe('text that comes from users', (scene) => {
  let poisoned: Poisoned;
  before(async () => (poisoned = await poison(scene.fixture)));

  test('is shown as text on the page of a job, whatever it stands in', async () => {
    const { page, guard } = await guarded(scene);
    for (const [name, [label, text]] of Object.entries(SEEN_OF_JOBS)) {
      const { id } = poisoned[name as keyof Poisoned];
      await page.goto(`${scene.fixture.url}/#/jobs/${id}`);
      await page.getByLabel(label).getByText(text.trim()).first().waitFor();
      await guard.assertHarmless(name);
    }
    const facts = page.locator('dl.facts');
    await page.goto(`${scene.fixture.url}/#/jobs/${poisoned.dead.id}`);
    await facts.getByText(SHORT).first().waitFor();
    await page.getByText(JSON.stringify(ALL).slice(1, 60)).first().waitFor();
  });

  test('is shown as text on every other page', async () => {
    const { page, guard } = await guarded(scene);
    const seen: Record<string, string> = {
      jobs: SHORT,
      'dead-letters': SHORT,
      workers: SHORT,
      webhooks: SHORT,
      processes: SHORT,
      queues: SHORT,
    };
    for (const { path, heading } of PLACES) {
      await page.goto(`${scene.fixture.url}/#/${path}`);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      const text = seen[path];
      if (text !== undefined) await page.getByText(text).first().waitFor();
      await guard.assertHarmless(heading);
    }
  });

  test('is shown as text in dialogs: bounds, changes and replays', async () => {
    const { page, guard } = await guarded(scene);
    await page.goto(`${scene.fixture.url}/#/queues`);
    const row = page.getByRole('row', { name: /hostile/ }).first();
    await row.getByRole('button', { name: 'Limits…' }).click();
    assert.equal(await page.getByLabel('Why').inputValue(), ALL.slice(0, 512));
    await guard.assertHarmless('bounds');
    await page.goto(`${scene.fixture.url}/#/schedules`);
    await page.getByRole('button', { name: 'Edit…' }).click();
    const input = JSON.parse(await page.getByLabel('Input, as JSON').inputValue()) as object;
    assert.deepEqual(input, { [SHORT]: ALL });
    await guard.assertHarmless('schedule');
    await page.goto(`${scene.fixture.url}/#/dead-letters`);
    // On a slow machine the job that runs has lost its lease by now, and has a dead letter too.
    const letter = page.getByRole('row', { name: `…${poisoned.dead.id.slice(-8)}` });
    await letter.getByRole('button', { name: 'Edit and replay…' }).click();
    await page.getByRole('dialog').getByText(SHORT).first().waitFor();
    await guard.assertHarmless('replay');
  });

  test('names that could be taken for markup are refused, and the refusal is text too', async () => {
    const { page, guard } = await guarded(scene);
    await page.goto(`${scene.fixture.url}/#/schedules`);
    await page.getByRole('button', { name: 'New schedule…' }).click();
    await page.getByLabel('Name').fill(SHORT);
    await page.getByLabel('When').fill('0 6 * * *');
    await page.getByLabel('Type of the job').fill(CORPUS[1]!);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('must be 1 to 128 letters').first().waitFor();
    await guard.assertHarmless('schedule');
    const { client } = scene.fixture;
    for (const wish of [{ type: SHORT }, { type: 'hostile', queue: SHORT }]) {
      await assert.rejects(client.enqueue({ input: {}, ...wish }), { code: 'VALIDATION_ERROR' });
    }
  });

  test('would be text even in the names that the server checks', async () => {
    const { page, guard } = await guarded(scene);
    const names = /"(type|name|queue|owner|actor|state|lifecycle|requestedBy)":"[^"]*"/g;
    await page.route('**/v1/**', async (route) => {
      const isStream = route.request().headers()['accept'] === 'text/event-stream';
      if (isStream) return route.continue();
      const answer = await route.fetch();
      const body = (await answer.text()).replaceAll(
        names,
        (_whole, name: string) => `"${name}":${JSON.stringify(ALL)}`,
      );
      return route.fulfill({ response: answer, body });
    });
    for (const path of ['', 'jobs', 'queues', 'workers', 'dead-letters', 'schedules', 'webhooks']) {
      await page.goto(`${scene.fixture.url}/?${path}#/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      if (path !== '' && path !== 'webhooks') await page.getByText(SHORT).first().waitFor();
      await guard.assertHarmless(path);
    }
    await page.goto(`${scene.fixture.url}/?job#/jobs/${poisoned.dead.id}`);
    await page.getByRole('heading', { level: 1, name: SHORT }).waitFor();
    await guard.assertHarmless('job');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('in the address is no more than text, also where it is no good address', async () => {
    const { page, guard } = await guarded(scene);
    const all = encodeURIComponent(ALL);
    const places = [
      `?q=${all}#/jobs?type=${all}&documentId=${all}&correlationId=${all}&cursor=${all}`,
      `#/jobs?phase=${all}&state=${all}&queue=${all}`,
      `#/${all}`,
      `#/jobs/${all}`,
      `#/studio?job=${all}`,
      `#/dead-letters?replayed=${all}`,
      `#/guides/${all}`,
      '#/jobs/%E0%A4%A',
      '#/%',
      '#javascript:globalThis.isBroken=true',
      '#/jobs/..%2F..%2Fprocesses',
      '#/jobs/..',
    ];
    for (const place of places) {
      await page.goto('about:blank');
      await page.goto(`${scene.fixture.url}/${place}`);
      await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor();
      await until(page, `document.querySelector('main').textContent.length > 5`);
      await guard.assertHarmless(place);
    }
  });

  test('an id in the address leads to jobs only, and never elsewhere on the server', async () => {
    const page = await scene.page.context().newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    for (const id of ['..%2Fevents', '..', '.%2F..%2Fqueues%2Fhostile%3F']) {
      await page.goto('about:blank');
      await page.goto(`${scene.fixture.url}/#/jobs/${id}`);
      await page.getByText('is not a job id').waitFor();
    }
    const strange = asked.filter((path) => /^\/v1\/(queues|jobs)/.test(path));
    assert.deepEqual(strange, []);
  });

  test('an artifact is saved and never run, whatever it is called and holds', async () => {
    const { page, guard } = await guarded(scene);
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="parent.isBroken=true"><script>
      globalThis.isBroken=true;alert(1)</script></svg>`;
    const base64 = Buffer.from(svg).toString('base64');
    const files = [
      { name: `${SHORT}.svg`, contentType: 'image/svg+xml', base64 },
      { name: 'page.html', contentType: 'text/html', base64 },
      { name: 'page.xhtml', contentType: 'application/xhtml+xml', base64 },
      { name: 'picture.png', contentType: 'image/png', base64 },
    ];
    const job = await scene.fixture.pawl.enqueue(exhibit, { files });
    await job.ended();
    await page.goto(`${scene.fixture.url}/#/jobs/${job.id}`);
    await page.getByText(`${SHORT}.svg`).waitFor();
    await guard.assertHarmless('the job');
    for (const { name, url } of (await scene.fixture.client.artifacts.ofJob(job.id)).items) {
      const link = page.getByRole('link', { name });
      const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
      assert.equal(await download.failure(), null);
      const answer = await fetch(new URL(url, scene.fixture.url));
      assert.match(answer.headers.get('content-disposition') ?? '', /^attachment/);
      assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; sandbox");
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    }
    await guard.assertHarmless('its files');
  });

  test('[S8] the page may run its own code only, and asks nobody but its server', async () => {
    // A context of its own: that the page complains is what is looked for.
    const context = await scene.page.context().browser()!.newContext();
    const page = await context.newPage();
    await new Guard(page, scene.fixture.url).listen();
    const answer = await page.goto(scene.fixture.url);
    const policy = (await answer?.headerValue('content-security-policy')) ?? '';
    assert.match(policy, /default-src 'self'/);
    assert.doesNotMatch(policy, /script-src|unsafe-eval|https?:/);
    await page.getByText('live', { exact: true }).waitFor();
    const planted = `const script = document.createElement('script');
      script.textContent = 'globalThis.isBroken = true';
      document.body.append(script);
      'isBroken' in globalThis`;
    assert.equal(await page.evaluate(planted), false);
    await until(page, `globalThis.refused.join(' ').includes('script-src')`);
    await context.close();
  });
});
