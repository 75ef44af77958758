import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aesCodec, newPayloadKey } from 'pawl/codec';
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { onOneStore } from '../support/browser/on-every-store.ts';

const FAR_AWAY = '2100-01-01T00:00:00Z';

onOneStore.describe('the input of a job', (scene) => {
  const enqueue = (input: unknown) =>
    scene.fixture.client.enqueue({ type: 'errand', input, runAt: FAR_AWAY });

  test('is shown as text while the job waits, and can be copied', async () => {
    await scene.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const input = { to: '<b>Ada</b>', lines: [1, 2] };
    const job = await enqueue(input);
    await scene.visit(`jobs/${job.id}`);
    const card = scene.page.getByRole('region', { name: 'Input' });
    await card.getByText('"to": "<b>Ada</b>"').waitFor();
    await card.getByRole('button', { name: 'Copy: Input' }).click();
    await scene.page.getByText('Input copied').waitFor();
    const copied = await scene.page.evaluate('navigator.clipboard.readText()');
    assert.deepEqual(JSON.parse(String(copied)), input);
    assert.deepEqual(await scene.fixture.client.input(job.id), input);
  });

  test('is drawn in part where it is long, and whole when asked for', async () => {
    const job = await enqueue({ text: `${'word '.repeat(20_000)}the end` });
    await scene.visit(`jobs/${job.id}`);
    const card = scene.page.getByRole('region', { name: 'Input' });
    await card.getByRole('button', { name: 'Show all 100 kB' }).waitFor();
    assert.equal(await card.getByText('the end').count(), 0);
    await card.getByRole('button', { name: 'Show all 100 kB' }).click();
    await card.getByText('the end').waitFor();
  });

  test('is a file to download where it is too large for the database', async () => {
    const { client } = scene.fixture;
    const content = JSON.stringify({ big: true });
    const artifact = await client.artifacts.upload({
      name: 'order.json',
      contentType: 'application/json',
      content: Buffer.from(content),
    });
    const job = await enqueue({ $artifact: artifact.id });
    const answer = await fetch(`${scene.fixture.url}/v1/jobs/${job.id}/input`);
    assert.match(answer.headers.get('link') ?? '', /^<\/v1\/artifacts\/[^>]+>; rel="item"/);
    await scene.visit(`jobs/${job.id}`);
    const link = scene.page.getByRole('region', { name: 'Input' }).getByRole('link');
    const [download] = await Promise.all([scene.page.waitForEvent('download'), link.click()]);
    assert.equal(download.suggestedFilename(), 'order.json');
  });

  test('is shown as sealed where it was encrypted before it was sent', async () => {
    const { client, url } = scene.fixture;
    const codec = aesCodec({ keys: [newPayloadKey('one')] });
    const id = systemIds(systemClock).next();
    const place = { tenant: 'default', jobId: id, field: 'input' } as const;
    const sealed = codec.encodeJson(place, JSON.stringify({ secret: 'the plan' }));
    const input = JSON.parse(sealed) as unknown;
    await client.enqueue({ id, type: 'errand', input, runAt: FAR_AWAY });
    const answer = await fetch(`${url}/v1/jobs/${id}/input`);
    assert.equal(answer.headers.get('pawl-sealed'), 'true');
    assert.equal(await answer.text(), sealed);
    await scene.visit(`jobs/${id}`);
    await scene.page.getByText('Encrypted by the sender').waitFor();
  });
});
