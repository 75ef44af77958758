// Providers: their file, their processes, and how they are named here.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { PawlError } from 'pawl/internal/core/errors';
import { systemTimers } from 'pawl/internal/core/timers';
import { ConfigurationFile } from '../src/gateway/configuration-file.ts';
import { readConfiguration } from '../src/gateway/configuration.ts';
import { statusUrlsOf } from '../src/gateway/locations.ts';
import { processIdOf, remoteProcessOf, typeOf } from '../src/gateway/process-id.ts';
import { authHeaders, type Provider } from '../src/gateway/provider.ts';
import { SETTINGS } from '../src/gateway/settings.ts';
import { eventually } from '../../../test/support/eventually.ts';

function providersOf(providers: Record<string, unknown>, env = {}): ReadonlyMap<string, Provider> {
  return readConfiguration(JSON.stringify({ providers }), env).providers;
}

test('[O17] settings have the names and the defaults of the document', () => {
  const { settings } = readConfiguration('{}', {});
  const { pollIntervalMs, pollTimeoutMs, forwardMaxRetries } = settings;
  assert.deepEqual([pollIntervalMs, pollTimeoutMs, forwardMaxRetries], [5_000, null, 3]);
  const { forwardRetryBaseWaitMs, forwardRetryMaxWaitMs } = settings;
  assert.deepEqual([forwardRetryBaseWaitMs, forwardRetryMaxWaitMs], [1_000, 5_000]);
  const { rewriteRemoteLinks, inlineInputsSizeLimit, inDoubt } = settings;
  assert.deepEqual([rewriteRemoteLinks, inlineInputsSizeLimit, inDoubt], [true, 65_536, 'probe']);
  const given = {
    poll_interval: 0.5,
    poll_timeout: 60,
    forward_max_retries: 1,
    forward_retry_base_wait: 0.1,
    forward_retry_max_wait: 0.2,
    rewrite_remote_links: false,
    inline_inputs_size_limit: 10,
  };
  const read = readConfiguration(
    JSON.stringify({
      settings: given,
      providers: { a: { url: 'https://a.example', poll_interval: 2 } },
    }),
    {},
  );
  assert.equal(read.settings.pollIntervalMs, 500);
  const own = read.providers.get('a')!.settings;
  assert.deepEqual(
    [own.pollIntervalMs, own.pollTimeoutMs, own.forwardMaxRetries, own.forwardRetryBaseWaitMs],
    [2_000, 60_000, 1, 100],
    'a provider has its own over those of all',
  );
  const {
    forwardRetryMaxWaitMs: max,
    rewriteRemoteLinks: links,
    inlineInputsSizeLimit: size,
  } = own;
  assert.deepEqual([max, links, size], [200, false, 10]);
});

test('[O17] the reference names every setting with its default', () => {
  const page = readFileSync(
    new URL('../../../docs/reference/providers-file.md', import.meta.url),
    'utf8',
  );
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\S+) \| /gm)].map(([, name, usual]) => [
    name,
    JSON.parse(usual!) as unknown,
  ]);
  const settings = Object.entries(SETTINGS).map(([name, { usual }]) => [name, usual]);
  assert.deepEqual(rows, settings);
});

test('what is wrong with the file is said member by member, without its secrets', () => {
  const file = {
    settings: { poll_intervall: 5, in_doubt: 'maybe' },
    providers: {
      'a:b': { url: 'https://user:pw@a.example' },
      c: { url: 'https://c.example', auth: { type: 'bearer', token: { env: 'NOT_SET' } }, x: 1 },
    },
  };
  assert.throws(
    () => readConfiguration(JSON.stringify(file), {}),
    (error: PawlError) => {
      assert.deepEqual(
        error.faults.map(({ pointer }) => pointer),
        [
          '/settings/poll_intervall',
          '/settings/in_doubt',
          '/providers/a:b',
          '/providers/a:b/url',
          '/providers/c/x',
          '/providers/c/auth/token',
        ],
      );
      return true;
    },
  );
  assert.throws(
    () => readConfiguration('{"auth": {"token": "hush-hush" "key"}}', {}),
    (error: Error) => /must be JSON/.test(error.message) && !error.message.includes('hush'),
  );
});

test('credentials: none, basic, an API key, a bearer token; from the environment, too', () => {
  const url = 'https://a.example';
  const providers = providersOf(
    {
      none: { url },
      basic: { url, auth: { type: 'basic', user: 'u', password: 'p' } },
      key: { url, auth: { type: 'api_key', header: 'X-Key', key: { env: 'KEY' } } },
      bearer: { url, auth: { type: 'bearer', token: 't' } },
    },
    { KEY: 'k' },
  );
  assert.deepEqual(
    [...providers.values()].map(({ auth }) => authHeaders(auth)),
    [{}, { authorization: 'Basic dTpw' }, { 'x-key': 'k' }, { authorization: 'Bearer t' }],
  );
});

test('[S6] a Location leads to the provider’s own origin, whatever it says', () => {
  const provider = providersOf({ a: { url: 'https://a.example/base' } }).get('a')!;
  const askedUrl = 'https://a.example/base/processes/x/execution';
  const placesOf = (location: string): string[] =>
    statusUrlsOf(provider, { location, askedUrl, jobId: '' });
  const job = 'https://a.example/base/jobs/1';
  assert.deepEqual(placesOf('https://a.example/base/jobs/1'), [job]);
  assert.deepEqual(placesOf('/base/jobs/1'), [job]);
  assert.ok(placesOf('jobs/1').includes(job));
  assert.ok(placesOf('/jobs/1').includes(job));
  assert.ok(placesOf('http://localhost:5000/jobs/1').includes(job));
  const hostile = [
    'http://evil.example/x',
    '//evil.example/x',
    'file:///etc/passwd',
    'javascript:1',
    '\\\\evil.example\\x',
    'https://a.example@evil.example/x',
    'https://a.example.evil.example/jobs/1',
  ];
  for (const location of hostile) {
    for (const url of placesOf(location)) assert.equal(new URL(url).origin, 'https://a.example');
  }
});

test('ids are split at the first colon only, and every id has a type', () => {
  assert.deepEqual(remoteProcessOf('prov:gs:Buffer'), { provider: 'prov', process: 'gs:Buffer' });
  assert.equal(remoteProcessOf('plain'), null);
  const types = ['gs:Buffer', 'vec:Buffer', 'mit Lücke', 'x'.repeat(300)].map((process) => {
    assert.deepEqual(remoteProcessOf(processIdOf({ provider: 'p', process })), {
      provider: 'p',
      process,
    });
    return typeOf({ provider: 'p', process });
  });
  assert.equal(new Set(types).size, 4);
  for (const type of types) assert.match(type, /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/);
});

test('[O17] the file is watched: changes hold at once, a broken one changes nothing and says so', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-providers-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'providers.json');
  const write = (text: string): void => writeFileSync(path, text);
  const providers = (...names: string[]): string =>
    JSON.stringify({
      providers: Object.fromEntries(
        names.map((name) => [name, { url: `https://${name}.example` }]),
      ),
    });
  const warnings: string[] = [];
  const log = { warn: (message: string) => void warnings.push(message) };
  write(providers('a'));
  const file = new ConfigurationFile({ path, env: {}, timers: systemTimers, log, everyMs: 5 });
  await file.open();
  const names = (): string => [...file.current.providers.keys()].join();
  assert.equal(names(), 'a');
  write(providers('a', 'b'));
  assert.equal(await file.runOnce(), true);
  assert.equal(names(), 'a,b');
  for (const broken of ['{', '{"providers": {"c": {}}}']) {
    write(broken);
    assert.equal(await file.runOnce(), false);
    assert.equal(await file.runOnce(), false);
    assert.equal(names(), 'a,b', 'the last good one stays in force');
  }
  assert.equal(warnings.length, 2, 'each is said once');
  rmSync(path);
  assert.equal(await file.runOnce(), false);
  assert.equal(names(), 'a,b');
  file.start();
  write(providers('c'));
  await eventually('it is seen by itself', () => names() === 'c');
  await file.stop();
});
