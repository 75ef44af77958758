// A provider that others have written: pygeoapi, where it is installed (PATH, or PYGEOAPI).
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { openOgcServer, pathOf } from './server-fixture.ts';

const program = process.env['PYGEOAPI'] ?? 'pygeoapi';
const isThere = spawnSync(program, ['--version']).status === 0;
const options = isThere ? {} : { skip: 'pygeoapi is not installed: pip install pygeoapi tinydb' };

function configurationOf(folder: string, url: string, port: number): string {
  const word = 'test';
  return JSON.stringify({
    server: {
      bind: { host: '127.0.0.1', port },
      url,
      mimetype: 'application/json; charset=UTF-8',
      encoding: 'utf-8',
      languages: ['en-US'],
      limits: { default_items: 10, max_items: 50 },
      map: { url: `${url}/tile.png`, attribution: word },
      manager: { name: 'TinyDB', connection: join(folder, 'jobs.db'), output_dir: folder },
    },
    logging: { level: 'ERROR' },
    metadata: {
      identification: {
        title: word,
        description: word,
        keywords: [word],
        keywords_type: 'theme',
        terms_of_service: word,
        url,
      },
      license: { name: word, url },
      provider: { name: word, url },
      contact: { name: word, url, email: 'a@b.example' },
    },
    resources: { 'hello-world': { type: 'process', processor: { name: 'HelloWorld' } } },
  });
}

test(
  '[O22] executions at a provider that others wrote end here with its results',
  options,
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-pygeoapi-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const configuration = join(folder, 'config.yml');
    mkdirSync(join(folder, 'out'));
    writeFileSync(configuration, configurationOf(join(folder, 'out'), url, port));
    const openapi = join(folder, 'openapi.yml');
    const env = { ...process.env, PYGEOAPI_CONFIG: configuration, PYGEOAPI_OPENAPI: openapi };
    spawnSync(program, ['openapi', 'generate', configuration, '--output-file', openapi], { env });
    // A group of its own: its server starts a second process when it watches its files.
    const child = spawn(program, ['serve'], { env, stdio: 'ignore', detached: true });
    t.after(() => process.kill(-child.pid!, 'SIGKILL'));
    await eventually('pygeoapi answers', () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    );

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
