// How a platform starts with regard to access: never open by accident.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import {
  type Platform,
  type PlatformParts,
  startPlatform,
} from '@pawl/server/internal/app/platform';
import { readKey } from '@pawl/server/internal/auth/key-text';
import { silentLog } from 'pawl/internal/engine/context';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'pawl-auth-'));
  after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function start(env: Record<string, string>, parts: PlatformParts = {}): Promise<Platform> {
  const configuration = readConfiguration({ PORT: '0', PAWL_DATA: folder(), ...env });
  return startPlatform(configuration, silentLog, parts);
}

test('[S22] without a word the platform listens on this machine only, and is open to it', async () => {
  const configuration = readConfiguration({});
  assert.deepEqual([configuration.host, configuration.access.isOpen], ['127.0.0.1', true]);
  const platform = await start({});
  assert.equal((await fetch(`${platform.url}/v1/jobs`)).status, 200);
  await platform.stop();
});

test('[S22] where others can reach it credentials are asked for, and that cannot be switched off', () => {
  for (const HOST of ['0.0.0.0', '::', '192.168.1.7', 'pawl.example']) {
    assert.equal(readConfiguration({ HOST }).access.isOpen, false);
    assert.throws(
      () => readConfiguration({ HOST, PAWL_AUTH: 'off' }),
      /PAWL_AUTH is off, but HOST/,
    );
  }
  for (const HOST of ['127.0.0.1', 'localhost', '::1', '127.0.0.53']) {
    assert.equal(readConfiguration({ HOST }).access.isOpen, true);
    assert.equal(readConfiguration({ HOST, PAWL_AUTH: 'on' }).access.isOpen, false);
  }
  assert.throws(() => readConfiguration({ PAWL_AUTH: 'maybe' }), /PAWL_AUTH is "maybe"/);
});

test('[S2, S22] an identity provider is given whole, with an https address of its keys', () => {
  const given = {
    PAWL_OIDC_ISSUER: 'https://id.example',
    PAWL_OIDC_AUDIENCE: 'pawl',
    PAWL_OIDC_JWKS_URL: 'https://id.example/jwks',
  };
  const { access } = readConfiguration(given);
  assert.deepEqual([access.isOpen, access.provider?.audience], [false, 'pawl']);
  const { PAWL_OIDC_AUDIENCE: _, ...half } = given;
  assert.throws(() => readConfiguration(half), /PAWL_OIDC_AUDIENCE is missing/);
  const plain = { ...given, PAWL_OIDC_JWKS_URL: 'http://id.example/jwks' };
  assert.throws(() => readConfiguration(plain), /PAWL_OIDC_JWKS_URL/);
});

test('[S22] the first key is made once, in a file that only its owner can read', async () => {
  const data = folder();
  const env = { PAWL_AUTH: 'on', PAWL_DATA: data };
  const first = await start(env);
  const file = join(data, 'admin.key');
  assert.equal(first.firstKeyFile, file);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const key = readFileSync(file, 'utf8').trim();
  assert.ok(readKey(key) !== null);
  const ask = (platform: Platform, headers: Record<string, string>) =>
    fetch(`${platform.url}/v1/keys`, { headers });
  assert.equal((await ask(first, {})).status, 401);
  const answer = await ask(first, { authorization: `Bearer ${key}` });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('ratelimit-policy') ?? '', /^"requests";q=2000;w=2$/);
  await first.stop();
  const again = await start(env);
  assert.equal(again.firstKeyFile, null);
  assert.equal((await ask(again, { authorization: `Bearer ${key}` })).status, 200);
  await again.stop();
});

test('a platform that is told to stop says so to load balancers and still serves', async () => {
  const drain = Promise.withResolvers<void>();
  const waits: number[] = [];
  const sleep = (ms: number): Promise<void> => {
    waits.push(ms);
    return drain.promise;
  };
  const platform = await start({ PAWL_DRAIN_MS: '300' }, { timers: { sleep } });
  const stopping = platform.stop();
  const ready = await fetch(`${platform.url}/readyz`);
  assert.deepEqual(
    [ready.status, ((await ready.json()) as { status: string }).status],
    [503, 'draining'],
  );
  assert.equal((await fetch(`${platform.url}/v1/jobs`)).status, 200);
  assert.deepEqual(waits, [300]);
  drain.resolve();
  await stopping;
  await assert.rejects(fetch(`${platform.url}/livez`));
});
