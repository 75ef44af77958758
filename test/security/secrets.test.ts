// A platform that talks as much as it can, with a canary in every secret it is given.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { startPlatform } from '@pawl/server/internal/app/platform';
import { silentLog } from 'pawl/internal/engine/context';
import { PlatformProcess } from '../chaos/platform-process.ts';
import { freePort } from '../support/free-port.ts';
import { eventually } from '../support/eventually.ts';
import { Caller, scratchFolder } from './fixture.ts';

const jobs = fileURLToPath(new URL('leaky-jobs.ts', import.meta.url));
const program = fileURLToPath(new URL('../../packages/pawl/src/cli/main.ts', import.meta.url));

/** Letters that are nowhere else, long enough to be a key. */
const CANARY = 'KaNaRiEnVoGeL0000111122223333';
const BYTES = Buffer.from(`${CANARY}-and-some-more-bytes`).toString('base64url');

const SECRETS = {
  PAWL_LINK_KEYS: JSON.stringify([{ id: 'a', secret: BYTES }]),
  PAWL_SECRET_KEYS: JSON.stringify([{ id: 'b', secret: BYTES }]),
  PAWL_SMTP_URL: `smtp://mailer:${CANARY}@127.0.0.1:1`,
  OPENAI_API_KEY: `sk-${CANARY}`,
  OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
  PAWL_AI_MODEL: 'none',
};

/** Every way in which the canary could be written. */
const FORMS = [CANARY, BYTES, Buffer.from(CANARY).toString('base64').slice(0, 36)];

function assertSilent(lines: readonly string[], more: readonly string[] = []): void {
  for (const form of [...FORMS, ...more]) {
    const line = lines.find((one) => one.includes(form));
    assert.equal(line, undefined, `a secret is in: ${line}`);
  }
}

describe('what a platform writes at its most talkative', () => {
  const folder = scratchFolder();
  let server: PlatformProcess;
  let admin: Caller;
  let keyText: string;
  let receiver: { url: string; close(): void };

  before(async () => {
    const hooks = createServer((_request, response) => response.writeHead(500).end('no'));
    hooks.listen(0, '127.0.0.1');
    await new Promise((resolve) => hooks.once('listening', resolve));
    const host = `127.0.0.1:${(hooks.address() as AddressInfo).port}`;
    receiver = { url: `http://${host}/${CANARY}?token=${CANARY}`, close: () => hooks.close() };
    const port = await freePort();
    const env = {
      ...SECRETS,
      PAWL_DATA: folder,
      PAWL_AUTH: 'on',
      PAWL_JOBS: jobs,
      PAWL_OUTGOING_ALLOW: host,
      LOG_LEVEL: 'debug',
    };
    server = new PlatformProcess({ flags: ['--port', String(port)], env });
    await server.start();
    keyText = readFileSync(join(folder, 'admin.key'), 'utf8').trim();
    admin = new Caller(`http://127.0.0.1:${port}`, { authorization: `Bearer ${keyText}` });
  });
  after(async () => {
    receiver.close();
    await server.end('SIGKILL');
  });

  test('[S17] no request leaves its credentials, its query or its body behind', async () => {
    const jwt = `eyJhbGciOiJFUzI1NiJ9.${CANARY}.${CANARY}`;
    for (const authorization of [`Bearer ${CANARY}`, `Basic ${CANARY}`, `Bearer ${jwt}`, CANARY]) {
      const headers = { authorization, cookie: `session=${CANARY}`, 'x-api-key': CANARY };
      await admin.call('GET', `/v1/jobs?token=${CANARY}`, { headers });
    }
    await admin.post('/v1/jobs', { type: 'leaky', inptu: CANARY });
    await admin.call('POST', '/v1/jobs', { body: Buffer.from(`{"input":"${CANARY}`) });
    await admin.get(`/v1/artifacts/x?signature=${CANARY}&expires=1`);
    await admin.post('/v1/webhooks', { url: `https://user:${CANARY}@example.org/` });
    await admin.put('/v1/types/plain', { lifecycle: 'task' });
    await admin.post('/v1/jobs', { type: 'plain', input: { password: CANARY } });
    assertSilent(server.said, [keyText.slice(-38)]);
  });

  test('[S17] neither keys nor the secrets of webhooks, made, used, refused and rotated', async () => {
    const { json: key } = await admin.post('/v1/keys', { name: 'bot', roles: ['viewer'] });
    const bot = new Caller(admin.url, { authorization: `Bearer ${key.key}` });
    assert.equal((await bot.get('/v1/jobs')).status, 200);
    assert.equal((await bot.post('/v1/jobs', { type: 'leaky' })).status, 403);
    await admin.post(`/v1/keys/${key.id}/revoke`);
    const { json: hook } = await admin.post('/v1/webhooks', { url: receiver.url });
    const { json: rotated } = await admin.post(`/v1/webhooks/${hook.id}/rotate`);
    const { json: delivery } = await admin.post(`/v1/webhooks/${hook.id}/test`);
    await eventually('the delivery was tried', async () => {
      const path = `/v1/webhooks/${hook.id}/deliveries/${delivery.id}`;
      return ((await admin.get(path)).json.tries?.length ?? 0) > 0;
    });
    const made = [String(key.key).slice(-38), hook.secret, rotated.secret];
    assertSilent(server.said, made as string[]);
  });

  test('[S17] nor what a handler’s error, a mail server or a model brings along', async () => {
    const { json: job } = await admin.post('/v1/jobs', {
      type: 'leaky',
      input: { secret: CANARY },
    });
    assert.equal((await admin.get(`/v1/jobs/${job.id}?waitMs=30000`)).json.state, 'failed');
    const mail = { to: 'a@example.org', subject: CANARY, text: CANARY };
    await admin.post('/v1/jobs', { type: 'email', input: mail });
    assertSilent(server.said);
    assert.ok(
      server.said.some((line) => line.includes('"level":"debug"')),
      'it does talk',
    );
  });
});

/** What the command line shows of an error, and what a stack would add. */
async function failureOf(env: Readonly<Record<string, string>>): Promise<string> {
  try {
    const given = { PORT: '0', PAWL_DATA: scratchFolder(), ...env };
    const platform = await startPlatform(readConfiguration(given), silentLog);
    await platform.stop();
  } catch (error) {
    return inspect(error, { depth: 5 });
  }
  return assert.fail('it started');
}

describe('a platform that cannot start', () => {
  const broken: Record<string, Readonly<Record<string, string>>> = {
    'an unreachable database': { DATABASE_URL: `postgres://pawl:${CANARY}@127.0.0.1:1/pawl` },
    'keys that cannot be read': { PAWL_SECRET_KEYS: `[{"id":"a","secret":"${CANARY}"` },
    'link keys that are too short': { PAWL_LINK_KEYS: `[{"id":"a","secret":"${CANARY}"}]` },
    'a mail server that cannot be read': { PAWL_SMTP_URL: `smtp//x:${CANARY}@host` },
  };
  for (const [what, env] of Object.entries(broken)) {
    test(`[S17] for ${what} says so without the secret`, async () => {
      assertSilent([await failureOf(env)]);
    });
  }

  test('[S17] for a database URL that cannot be read says so without it, on the command line', async () => {
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
    const given = {
      PAWL_DATA: scratchFolder(),
      DATABASE_URL: `postgres://pawl:${CANARY}@[::/pawl`,
    };
    const child = spawn(process.execPath, [program, 'start', '--port', '0'], {
      env: { ...inherited, ...given, LOG_LEVEL: 'debug' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = await Promise.all([text(child.stdout), text(child.stderr)]);
    assert.match(said.join(''), /could not start|DATABASE_URL/);
    assertSilent(said);
  });
});
