import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ProvidersJson } from 'pawl/internal/contract/provider';
import { openOgcServer } from '../../packages/ogc/test/server-fixture.ts';
import { openFixture, type Fixture } from '../support/browser/fixture.ts';

const far = await openOgcServer();

describe('providers of processes', () => {
  let fixture: Fixture;
  const folder = mkdtempSync(join(tmpdir(), 'pawl-providers-'));
  before(async () => {
    const path = join(folder, 'providers.json');
    const providers = {
      far: { url: far.url, title: 'The one that answers' },
      gone: { url: 'http://127.0.0.1:9' },
    };
    writeFileSync(path, JSON.stringify({ settings: { poll_interval: 0.05 }, providers }));
    fixture = await openFixture({ PAWL_OGC_PROVIDERS: path, PAWL_OUTGOING_ALLOW: '127.0.0.0/8' });
  });
  after(async () => {
    await fixture.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (): Promise<ProvidersJson> =>
    (await (await fetch(`${fixture.url}/v1/providers`)).json()) as ProvidersJson;

  test('are unknown until they were asked; then their answers and failures are counted', async () => {
    const first = await ask();
    assert.deepEqual(
      first.items.map(({ name, state, calls }) => [name, state, calls]),
      [
        ['far', 'unknown', 0],
        ['gone', 'unknown', 0],
      ],
    );
    assert.equal(first.measured.pid, process.pid);
    await fetch(`${fixture.url}/processes`);
    const [near, gone] = (await ask()).items;
    assert.deepEqual([near!.state, near!.failures, near!.lastFault], ['well', 0, null]);
    assert.ok(near!.calls > 0 && near!.latency !== null && near!.lastSuccessAt !== null);
    assert.deepEqual([gone!.state, gone!.failuresInARow], ['failing', 1]);
    assert.ok(gone!.lastFailureAt !== null && gone!.leftAloneUntil !== null);
    assert.equal(gone!.latency, null);
  });

  test('are shown with their health, latency and last fault, and whose figures they are', async () => {
    await fetch(`${fixture.url}/processes`);
    const page = await fixture.look('processes');
    const table = page.getByRole('region', { name: 'Providers' });
    const near = table.getByRole('row', { name: /far/ });
    await near.getByText('well', { exact: true }).waitFor();
    await near.getByText('0 %').waitFor();
    const gone = table.getByRole('row', { name: /gone/ });
    await gone.getByText('failing').waitFor();
    await gone.getByText('100 %').waitFor();
    await table.getByText(`pid ${process.pid}`).waitFor();
    await table.getByText('Other processes have their own figures').waitFor();
    await page.context().close();
    assert.deepEqual(fixture.complaints, []);
  });

  test('have their jobs counted while these live, and lead to them', async () => {
    const answer = await fetch(`${fixture.url}/processes/far:echo/execution`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'respond-async' },
      body: JSON.stringify({ inputs: { message: 'hello', pause: 600 } }),
    });
    assert.equal(answer.status, 201);
    const { jobID } = (await answer.json()) as { jobID: string };
    const [near] = (await ask()).items;
    assert.equal(
      Object.values(near!.jobs).reduce((sum, count) => sum + count, 0),
      1,
    );
    const page = await fixture.look('processes');
    const table = page.getByRole('region', { name: 'Providers' });
    await table.getByRole('row', { name: /far/ }).getByRole('link', { name: /^1 / }).click();
    await page.getByRole('link', { name: `…${jobID.slice(-8)}` }).waitFor();
    await page.goto(`${fixture.url}/#/processes`);
    const row = page.getByRole('row', { name: /far:echo/ });
    await row.getByRole('link', { name: 'jobs', exact: true }).click();
    await page.getByRole('link', { name: `…${jobID.slice(-8)}` }).waitFor();
    await fixture.client.cancel(jobID);
    await page.context().close();
  });
});

test('the health of providers is for the home tenant only', async () => {
  const server = await openOgcServer({ isLocked: true });
  assert.equal((await server.get('/v1/providers')).status, 401);
  const home = await server.get('/v1/providers', await server.key('default'));
  assert.deepEqual([home.status, home.json.items], [200, []]);
  const other = await server.get('/v1/providers', await server.key('acme'));
  assert.deepEqual([other.status, other.json.code], [403, 'FORBIDDEN']);
});
