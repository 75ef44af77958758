// A plug-in of a user's own, in one file: whatever it brings is there without anything else edited.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { compose } from '@pawl/server/internal/app/composed';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { startPlatform, type Platform } from '@pawl/server/internal/app/platform';
import { definePlugin, type Plugin } from 'pawl/plugin';
import { configurationPage } from '../../scripts/reference/configuration.ts';
import { inRepository } from '../../scripts/run/repository.ts';
import { cliPath } from '../cli/pawl-command.ts';
import { onceLogged } from '../support/once-logged.ts';

const example = inRepository('examples/plugin');

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into freely
  readonly body: any;
}

type Call = (path: string, body?: object) => Promise<Answer>;

function callerOf({ url }: Platform, key: string | null = null): Call {
  return async (path, body) => {
    const headers: Record<string, string> = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${url}${path}`, { headers, ...sent });
    const said = await answer.text();
    const isJson = /[/+]json/.test(answer.headers.get('content-type') ?? '');
    const parsed: unknown = isJson ? JSON.parse(said) : null;
    return { status: answer.status, headers: answer.headers, text: said, body: parsed };
  };
}

const folder = mkdtempSync(join(tmpdir(), 'pawl-plugin-'));
const platforms: Platform[] = [];
after(async () => {
  for (const platform of platforms) await platform.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The platform of the example's own configuration. */
async function open(env: NodeJS.ProcessEnv = {}): Promise<Platform> {
  const data = mkdtempSync(join(folder, 'data-'));
  const given = { PORT: '0', PAWL_DATA: data, HEARTBEATS_LOOK_MS: '20', ...env };
  const { configuration, parts } = await compose({ env: given, folder: example });
  const platform = await startPlatform(configuration, { warn: () => undefined }, parts);
  platforms.push(platform);
  return platform;
}

describe('a plug-in in one file', () => {
  let platform: Platform;
  let call: Call;
  before(async () => {
    platform = await open();
    call = callerOf(platform);
  });

  test('its route answers by its schema, and is in the OpenAPI document with its scope', async () => {
    const made = await call('/v1/heartbeats/nightly', { withinMs: 3_600_000 });
    assert.deepEqual([made.status, made.body], [200, { name: 'nightly' }]);
    const refused = await call('/v1/heartbeats/nightly', { withinMs: 'soon' });
    assert.deepEqual([refused.status, refused.body.errors[0].pointer], [400, '/withinMs']);
    const { body } = await call('/v1/heartbeats');
    const [nightly] = body.items.filter(({ name }: { name: string }) => name === 'nightly');
    assert.equal(nightly.isLate, false);
    const { body: document } = await call('/openapi.json');
    const { post } = document.paths['/v1/heartbeats/{name}'];
    assert.equal(post.operationId, 'reportHeartbeat');
    assert.equal(post['x-required-scope'], 'heartbeats:write');
  });

  test('its duty finds what is late, its job runs, and check and metric tell of it', async () => {
    await call('/v1/heartbeats/backup', { withinMs: 1 });
    const ended = { tenant: 'default', what: 'the job of the duty has ended' };
    const job = await onceLogged(platform.engine, ended, async () => {
      const { body } = await call('/v1/jobs?type=heartbeats.missed');
      const [found] = body.items;
      return found?.completedAt === null || found === undefined ? null : found;
    });
    const { body: result } = await call(`/v1/jobs/${job.id}/result`);
    assert.match(JSON.stringify(result), /backup has been silent since 20/);
    const { body: all } = await call('/v1/jobs?type=heartbeats.missed');
    assert.equal(all.items.length, 1, 'one job a silence, however often it is looked for');
    const { body: diagnosis } = await call('/v1/doctor');
    const found = diagnosis.findings.find(
      ({ check }: { check: string }) => check === 'heartbeats.late',
    );
    assert.deepEqual([found.level, found.message], ['warning', 'nothing was heard from backup']);
    const { text: metrics } = await call('/metrics');
    assert.match(metrics, /^# HELP pawl_heartbeats_late Programs whose heartbeat is late\.$/m);
    assert.match(metrics, /^pawl_heartbeats_late 1$/m);
  });

  test('its page is listed for the dashboard, and served as a script', async () => {
    const { body } = await call('/v1/page');
    const [page] = body.pages;
    assert.deepEqual(page, {
      plugin: 'heartbeats',
      path: 'heartbeats',
      title: 'Heartbeats',
      module: './plugins/heartbeats/page.js',
    });
    const script = await call(page.module.slice(1));
    assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.equal(script.text, readFileSync(join(example, 'page.js'), 'utf8'));
    assert.equal((await call('/plugins/heartbeats/plugin.ts')).status, 404);
  });

  test('webhooks are there beside the plug-ins that a configuration names', async () => {
    assert.deepEqual((await call('/v1/webhooks')).body, { items: [], nextCursor: null });
  });

  test('its setting is one of those that `pawl config` and the reference list', async () => {
    const child = spawn(process.execPath, [cliPath, 'config', '--json'], {
      cwd: example,
      env: { ...process.env, HEARTBEATS_LOOK_MS: '20' },
    });
    const lines = (await text(child.stdout)).trim().split('\n');
    const shown = lines.map((line) => JSON.parse(line) as { name: string });
    assert.deepEqual(
      shown.find(({ name }) => name === 'HEARTBEATS_LOOK_MS'),
      {
        name: 'HEARTBEATS_LOOK_MS',
        value: '20',
        source: 'environment',
        from: 'HEARTBEATS_LOOK_MS',
      },
    );
    const { resolved } = await compose({ env: {}, folder: example });
    const page = configurationPage(resolved.map(({ setting }) => setting));
    assert.match(page, /`HEARTBEATS_LOOK_MS` \| `10000` \| How often silent programs/);
  });
});

test('[S4] a key can be narrowed to the scope of a plug-in, and a role has it by its name', async () => {
  const platform = await open({ PAWL_AUTH: 'on' });
  const admin = callerOf(platform, readFileSync(platform.firstKeyFile!, 'utf8').trim());
  const holder = async (wish: object): Promise<Call> => {
    const { status, body } = await admin('/v1/keys', { name: 'someone', ...wish });
    assert.equal(status, 201);
    return callerOf(platform, body.key);
  };
  const statuses = async (call: Call): Promise<readonly number[]> => [
    (await call('/v1/heartbeats')).status,
    (await call('/v1/heartbeats/x', { withinMs: 60_000 })).status,
  ];
  assert.deepEqual(await statuses(callerOf(platform)), [401, 401]);
  assert.deepEqual(await statuses(admin), [200, 200]);
  assert.deepEqual(await statuses(await holder({ roles: ['operator'] })), [200, 200]);
  assert.deepEqual(await statuses(await holder({ roles: ['viewer'] })), [200, 403]);
  assert.deepEqual(await statuses(await holder({ roles: ['worker', 'producer'] })), [403, 403]);
  const narrow = await holder({ roles: ['admin'], scopes: ['heartbeats:write'] });
  assert.deepEqual(await statuses(narrow), [403, 200]);
  assert.equal((await narrow('/v1/jobs')).status, 403);
  const wish = { name: 'x', roles: ['admin'], scopes: ['nobody:write'] };
  assert.equal((await admin('/v1/keys', wish)).status, 400);
  const own = await holder({ roles: ['admin'], scopes: ['keys:admin', 'heartbeats:read'] });
  const more = { name: 'more', roles: ['admin'], scopes: ['heartbeats:write'] };
  assert.equal((await own('/v1/keys', more)).status, 403, 'no more than its maker has');
});

test('a check or a metric that fails keeps nobody from the others', async () => {
  const fails = (): never => {
    throw new Error('out of order');
  };
  const broken = definePlugin({
    name: 'broken',
    checks: [
      { name: 'bad', run: fails },
      { name: 'fine', run: () => ({ level: 'good', message: 'all is well', action: null }) },
    ],
    metrics: [
      { name: 'pawl_broken_bad', help: 'None.', read: fails },
      { name: 'pawl_broken_fine', help: 'One.', read: () => 1 },
    ],
  });
  const env = { PORT: '0', PAWL_DATA: mkdtempSync(join(folder, 'data-')) };
  const log = { warn: () => undefined };
  const platform = await startPlatform(readConfiguration(env), log, { plugins: [broken] });
  platforms.push(platform);
  const call = callerOf(platform);
  const { body } = await call('/v1/doctor');
  const own = body.findings.filter(({ check }: { check: string }) => check.startsWith('broken.'));
  assert.deepEqual(
    own.map(({ check, level }: { check: string; level: string }) => `${check} ${level}`),
    ['broken.bad warning', 'broken.fine good'],
  );
  assert.match(own[0].message, /out of order/);
  const { text: metrics } = await call('/metrics');
  assert.doesNotMatch(metrics, /^pawl_broken_bad /m);
  assert.match(metrics, /^pawl_broken_fine 1$/m);
});

test('a plug-in that could not appear as it says is refused at the start, with the remedy', async () => {
  const module = new URL('page.ts', import.meta.url);
  const route = { method: 'GET', path: '/x', scope: 'x:read', handle: () => ({}) } as const;
  const read = () => 0;
  const faulty: readonly (readonly [Partial<Plugin>, RegExp])[] = [
    [{ routes: [route] }, /the plug-in odd asks for the scope x:read at GET \/x: add it to its/],
    [{ scopes: ['jobs:read'] }, /declares the scope jobs:read: give it a name of its own/],
    [{ pages: [{ path: 'Odd', title: 'Odd', module }] }, /has a page at "Odd": give lower-case/],
    [{ pages: [{ path: 'odd', title: 'Odd', module }] }, /page\.ts: give the URL of a \.js file/],
    [
      { start: () => ({ metrics: [{ name: 'odd', help: '', read }] }) },
      /has the metric odd: its name must begin with pawl_odd_/,
    ],
    [{ records: [{ name: 'webhook' }] }, /of the kind "webhook", as another plug-in does: rename/],
  ];
  for (const [parts, expected] of faulty) {
    const data = mkdtempSync(join(folder, 'data-'));
    const configuration = readConfiguration({ PORT: '0', PAWL_DATA: data });
    const plugins = [definePlugin({ name: 'odd', ...parts })];
    await assert.rejects(
      startPlatform(configuration, { warn: () => undefined }, { plugins }),
      expected,
    );
  }
});

test('what a job of a plug-in with a worker of its own cannot take is refused at once', async () => {
  const call = callerOf(await open());
  const { status, body } = await call('/v1/jobs', { type: 'pawl.webhook', input: {} });
  assert.deepEqual([status, body.errors[0].pointer], [400, '/input']);
});
