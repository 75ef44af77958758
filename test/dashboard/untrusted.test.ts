import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openRoom, type Room } from '../support/browser/room.ts';
import { errand, paint, turns } from '../support/browser/stage-jobs.ts';

const CORPUS = [
  '<img src=x onerror="globalThis.isBroken = true">',
  '<script>globalThis.isBroken = true</script>',
  '"><svg onload="globalThis.isBroken = true">',
  "'-globalThis.isBroken--'</title></style><b id=planted>",
  '<a href="javascript:globalThis.isBroken = true">open</a>',
];
const ALL = CORPUS.join(' ');

/** Nothing ran, and nothing of it became a part of the page. */
async function assertHarmless(page: Page): Promise<void> {
  assert.equal(await page.evaluate(() => 'isBroken' in globalThis), false);
  const planted = 'img[src="x"], #planted, [onload], [onerror], a[href^="javascript"], main script';
  assert.equal(await page.locator(planted).count(), 0);
}

describe('text that comes from jobs', () => {
  let room: Room;
  before(async () => (room = await openRoom()));
  after(() => room.close());

  test('HTML in messages, errors, ids, metadata and results is shown as text on every page', async () => {
    const marked = { documentId: CORPUS[0]!, correlationId: CORPUS[2]!, metadata: { [ALL]: ALL } };
    const running = await room.client.enqueue(paint, { message: ALL }, marked);
    const dead = await room.client.enqueue(errand, { fault: ALL }, marked);
    await room.client.waitForEnd(dead.id);
    const page = await room.look(`jobs/${running.id}`);
    await page.getByText(CORPUS[1]!).first().waitFor();
    await assertHarmless(page);
    for (const place of [`jobs/${dead.id}`, 'jobs', 'dead-letters']) {
      await page.goto(`${room.url}/#/${place}`);
      await page.getByText(CORPUS[0]!).first().waitFor();
      await assertHarmless(page);
    }
    for (const place of [
      '',
      'queues',
      'lifecycles',
      `jobs?documentId=${encodeURIComponent(ALL)}`,
    ]) {
      await page.goto(`${room.url}/#/${place}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await assertHarmless(page);
    }
    turns.give();
    turns.give();
    await page.context().close();
  });

  test('the page may run its own code only, and asks nobody but its server', async () => {
    const page = await room.look();
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    const answer = await page.reload();
    const policy = (await answer?.headerValue('content-security-policy')) ?? '';
    assert.match(policy, /default-src 'self'/);
    assert.doesNotMatch(policy, /script-src|unsafe-eval|https?:/);
    await page.getByText('live', { exact: true }).waitFor();
    assert.deepEqual([...hosts], [new URL(room.url).host]);
    const planted = `const script = document.createElement('script');
      script.textContent = 'globalThis.isBroken = true';
      document.body.append(script);
      'isBroken' in globalThis`;
    assert.equal(await page.evaluate(planted), false);
    await page.context().close();
  });
});
