// The client in a browser: its modules as they are, their types left out.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { test } from 'node:test';
import { inRepository } from '../../scripts/run/repository.ts';
import type * as Client from 'pawl/client';
import { onOneStore } from '../support/browser/on-every-store.ts';

onOneStore.describe('the client', (scene) => {
  test('enqueues, waits and watches in a page, where there is only `fetch`', async () => {
    const { page, fixture } = scene;
    await page.route(`${fixture.url}/own/**`, async (route) => {
      const path = new URL(route.request().url()).pathname.replace('/own/', '');
      const body = stripTypeScriptTypes(readFileSync(inRepository(path), 'utf8'));
      await route.fulfill({ contentType: 'text/javascript', body });
    });
    const seen = await page.evaluate(async (url) => {
      const entry = '/own/packages/pawl/src/client/client.ts';
      const { PawlClient, declareJob, typed } = (await import(entry)) as typeof Client;
      const client = new PawlClient({ url });
      const errand = declareJob('errand', { input: typed<{ fault?: string }>() });
      const [good, bad] = await client.enqueueMany(errand, [{}, { fault: 'no bridge' }]);
      const types = [];
      for await (const { type } of good!.events()) types.push(type);
      const error = await bad!.result().catch((thrown: Error) => thrown.name);
      return [await good!.result(), types.at(-1), error, (await client.jobs()).items.length];
    }, fixture.url);
    assert.deepEqual(seen, [{ isDone: true }, 'job_succeeded', 'JobFailed', 2]);
  });
});
