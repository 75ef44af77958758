import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneStore, type Scene } from '../support/browser/on-every-store.ts';
import { errand, exhibit, paint, turns } from '../support/browser/stage-jobs.ts';
import { until } from '../support/browser/until.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const FILES = [
  { name: 'notes.txt', contentType: 'text/plain', base64: base64('first line\n<i>second</i>') },
  { name: 'deck.json', contentType: 'application/json', base64: base64('{"slides":[1,2]}') },
  { name: 'long.csv', contentType: 'text/csv', base64: base64('1,2,3\n'.repeat(20_000)) },
  { name: 'page.pdf', contentType: 'application/pdf', base64: base64('%PDF-1.7') },
];

const TRACE = '0af7651916cd43dd8448eb211c80319c';

function aboutFiles(scene: Scene): void {
  test('its text files can be looked into, as text; others are links', async () => {
    const job = await scene.fixture.pawl.enqueue(exhibit, { files: FILES });
    await scene.fixture.client.waitForEnd(job.id);
    await scene.visit(`jobs/${job.id}`);
    const files = scene.page.getByRole('region', { name: 'Artifacts' });
    const item = (name: string) => files.getByRole('listitem').filter({ hasText: name });
    await item('notes.txt').getByText('Preview').click();
    await item('notes.txt').getByText('<i>second</i>').waitFor();
    await item('deck.json').getByText('Preview').click();
    await item('deck.json').getByText('"slides": [').waitFor();
    await item('long.csv').getByText('Preview').click();
    await item('long.csv').getByText('The first 66 kB; the file has it all.').waitFor();
    assert.equal(await item('page.pdf').getByText('Preview').count(), 0);
    const link = item('page.pdf').getByRole('link');
    const [download] = await Promise.all([scene.page.waitForEvent('download'), link.click()]);
    assert.equal(download.suggestedFilename(), 'page.pdf');
  });
}

function aboutLinks(scene: Scene): void {
  test('its trace and its correlation are links', async () => {
    const traceparent = `00-${TRACE}-b7ad6b7169203331-01`;
    const wish = { type: 'errand', input: {}, correlationId: 'order-7' };
    const job = await scene.fixture.client.enqueue(wish, { traceparent });
    await scene.visit(`jobs/${job.id}`);
    const trace = scene.page.getByRole('link', { name: TRACE });
    assert.equal(await trace.getAttribute('href'), `https://traces.example/trace/${TRACE}`);
    await scene.page.getByRole('link', { name: 'order-7' }).click();
    await scene.page.getByRole('link', { name: `…${job.id.slice(-8)}` }).waitFor();
  });
}

function aboutErrors(scene: Scene): void {
  test('an error is shown with its hint, and on demand with where it came from', async () => {
    const job = await scene.fixture.pawl.enqueue(errand, { fault: 'the bridge is closed' });
    await scene.fixture.client.waitForEnd(job.id);
    await scene.visit(`jobs/${job.id}`);
    const errors = scene.page.getByRole('region', { name: 'Errors' });
    await errors.getByText('not retried: "PermanentError" is final').waitFor();
    const frame = errors.getByText('stage-jobs.ts');
    assert.equal(await frame.isVisible(), false);
    await errors.getByText('Stack', { exact: true }).click();
    await frame.waitFor();
    await scene.visit('jobs');
    await scene.page.getByRole('link', { name: `…${job.id.slice(-8)}` }).waitFor();
    assert.equal(await scene.page.getByText('stage-jobs.ts').count(), 0);
  });
}

function aboutTimes(scene: Scene): void {
  test('times are told by the clock of this place, by UTC on hover, and by UTC on a switch', async () => {
    const job = await scene.fixture.client.enqueue({ type: 'errand', input: {} });
    await scene.page.context().close();
    await scene.enter({ timezoneId: 'Asia/Kolkata', locale: 'en-GB' });
    await scene.visit(`jobs/${job.id}`);
    const time = scene.page.locator('.note-list time').first();
    const at = (await time.getAttribute('datetime'))!;
    const local = new Date(Date.parse(at) + 5.5 * 3_600_000).toISOString();
    assert.equal(await time.textContent(), local.slice(11, 23));
    const hover = (await time.getAttribute('title'))!;
    assert.match(hover, new RegExp(`${local.slice(11, 19)} here, .*${at.slice(11, 19)} UTC`));
    await scene.press('local time');
    await until(
      scene.page,
      `document.querySelector('.note-list time').textContent === '${at.slice(11, 23)}'`,
    );
    await scene.page.reload();
    await scene.page.getByRole('button', { name: 'UTC', exact: true }).waitFor();
    // Every time that is shown can be read by both clocks.
    const bare = 'time:not([title*="UTC"])';
    for (const place of [`jobs/${job.id}`, 'jobs', '', 'queues', 'workers', 'dead-letters']) {
      await scene.visit(place);
      await scene.page.getByRole('heading', { level: 1 }).waitFor();
      assert.equal(await scene.page.locator(bare).count(), 0, place);
    }
  });
}

function aboutLimits(scene: Scene): void {
  test('who holds the places of a limit is told by what the jobs share', async () => {
    const { client } = scene.fixture;
    await client.putType('narrow', { lifecycle: 'task', limits: { runningPerKey: 1 } });
    const wish = { type: 'narrow', input: {}, documentId: 'doc-1' };
    const [first] = [await client.enqueue(wish), await client.enqueue(wish)];
    const claim = { workerId: 'w9', types: ['narrow'], max: 5 };
    await client.connection.call({ method: 'POST', path: '/v1/claims', body: claim });
    await scene.visit('queues');
    await scene.press('holders of narrow');
    const dialog = scene.page.getByRole('dialog', { name: 'In flight: narrow' });
    const group = dialog.getByRole('region', { name: 'doc-1' });
    await group.getByText('1 of 1, full').waitFor();
    await group.getByText('by w9').waitFor();
    await group.getByRole('link', { name: `…${first.id.slice(-8)}` }).click();
    await scene.page.getByRole('heading', { level: 1, name: 'narrow' }).waitFor();
    await scene.page.getByText('w9').first().waitFor();
  });
}

function aboutStates(scene: Scene): void {
  test('a state that covers several phases says which, so that colour does not have to', async () => {
    const wish = { type: 'narrow', input: {}, documentId: 'doc-2' };
    const { client } = scene.fixture;
    await client.putType('narrow', { lifecycle: 'task', limits: { runningPerKey: 1 } });
    const job = await client.enqueue(wish);
    await scene.visit(`jobs/${job.id}`);
    await scene.page.locator('h1 .state', { hasText: /^pending$/ }).waitFor();
    const claim = { workerId: 'w8', types: ['narrow'], max: 5 };
    const call = { method: 'POST', path: '/v1/claims', body: claim } as const;
    const { body } = await client.connection.call(call);
    const held = (body as { jobs: { job: { id: string }; epoch: number }[] }).jobs;
    const { epoch } = held.find((one) => one.job.id === job.id)!;
    await scene.page.locator('h1 .state', { hasText: /^running$/ }).waitFor();
    const error = { class: 'network_timeout', message: 'no answer' };
    const failure = { workerId: 'w8', epoch, error };
    await client.connection.call({
      method: 'POST',
      path: `/v1/jobs/${job.id}/fail`,
      body: failure,
    });
    await scene.page.locator('h1 .state', { hasText: /^running · (?:waiting|ready)$/ }).waitFor();
  });

  test('its waits, attempts and stages are drawn to scale', async () => {
    const job = await scene.fixture.pawl.enqueue(paint, {});
    turns.give();
    turns.give();
    await scene.fixture.client.waitForEnd(job.id);
    await scene.visit(`jobs/${job.id}`);
    const names = scene.page.locator('.timeline > span:nth-child(3n + 1)');
    await names.filter({ hasText: 'colouring' }).waitFor();
    const widths = await scene.page
      .locator('.timeline .track > i')
      .evaluateAll((bars) =>
        bars.map((bar) => (bar as { style?: { width: string } }).style!.width),
      );
    const labels = await names.allTextContents();
    assert.deepEqual(labels.slice(-3), ['running · attempt 1', 'sketching', 'colouring']);
    const [attempt = 0, one = 0, two = 0] = widths
      .slice(-3)
      .map((width) => Number.parseFloat(width));
    assert.ok(attempt > 0 && one + two <= attempt + 0.01, widths.join(' '));
  });
}

onOneStore.describe(
  'everything about a job',
  (scene) => {
    aboutFiles(scene);
    aboutLinks(scene);
    aboutErrors(scene);
    aboutTimes(scene);
    aboutLimits(scene);
    aboutStates(scene);
  },
  { PAWL_TRACE_URL: 'https://traces.example/trace/{traceId}' },
);
