// A provider that others have written: pygeoapi, where it is installed.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { findPygeoapi, openPygeoapi } from './provider/pygeoapi.ts';
import { openOgcServer, pathOf } from './server-fixture.ts';

const program = findPygeoapi();
const options =
  program === null ? { skip: 'pygeoapi is not installed: `npm run proof:pygeoapi` does it' } : {};

test(
  '[O22] executions at a provider that others wrote end here with its results',
  options,
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-real-provider-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const provider = await openPygeoapi(program!, { 'hello-world': 'HelloWorld' });
    t.after(() => provider.close());
    const { url } = provider;
    const path = join(folder, 'providers.json');
    const settings = { poll_interval: 0.2 };
    writeFileSync(path, JSON.stringify({ settings, providers: { geo: { url } } }));
    const server = await openOgcServer({ env: { PAWL_OGC_PROVIDERS: path } });
    const execution = '/processes/geo:hello-world/execution';
    const begun = await server.post(
      execution,
      { inputs: { name: 'Pawl' } },
      { prefer: 'respond-async' },
    );
    assert.equal(begun.status, 201, begun.text);
    const at = pathOf(server, begun.headers.get('location')!);
    await eventually(
      'it has ended',
      async () => (await server.get(at)).json.status === 'successful',
    );
    const results = await server.get(`${at}/results`);
    assert.deepEqual(results.json, { id: 'echo', value: 'Hello Pawl!' });
    assert.match(results.headers.get('content-security-policy') ?? '', /sandbox/);
    const refused = await server.post(execution, { inputs: {} });
    assert.ok(refused.status >= 400, refused.text);
    assert.match(refused.text, /Cannot process without a name/);
  },
);
