// A process can die anywhere between an event and its delivery: the webhook is told all the same.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { startPlatform } from '@pawl/server/internal/app/platform';
import { fanOut } from '@pawl/server/internal/webhooks/deliveries';
import { WebhookRecords } from '@pawl/server/internal/webhooks/records';
import { onceLogged } from '../support/once-logged.ts';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { hook, openReceiver, openWebhookFixture, succeed, verified } from './webhook-fixture.ts';

const processPath = fileURLToPath(new URL('webhook-process.ts', import.meta.url));

async function killedAt(
  point: 'event' | 'fan-out',
  { database, keys, url }: { database: string; keys: string; url: string },
): Promise<string> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [processPath, database, keys, url, point], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [secret] = (await once(createInterface(child.stdout), 'line')) as [string];
  child.kill('SIGKILL');
  await ended;
  return secret;
}

async function databases(): Promise<{ label: string; url: string | null }[]> {
  const [server] = (await postgresServers()).toReversed();
  const fresh = await freshDatabase(server!);
  after(() => fresh.drop());
  return [
    { label: 'sqlite', url: null },
    { label: server!.label, url: fresh.url },
  ];
}

for (const { label, url: databaseUrl } of await databases()) {
  for (const point of ['event', 'fan-out'] as const) {
    test(`[T37] killed after the ${point}, before the delivery: told after a restart (${label})`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pawl-webhooks-'));
      after(() => rmSync(folder, { recursive: true, force: true }));
      const receiver = await openReceiver();
      const database = databaseUrl ?? join(folder, 'pawl.db');
      const keys = join(folder, 'secret-keys.json');
      const secret = await killedAt(point, { database, keys, url: receiver.url });
      assert.deepEqual(receiver.received, []);
      const env = { PORT: '0', PAWL_DATA: folder, PAWL_OUTGOING_ALLOW: receiver.host };
      const more = databaseUrl === null ? {} : { DATABASE_URL: databaseUrl };
      const warnings: string[] = [];
      const log = { warn: (message: string) => void warnings.push(message) };
      const platform = await startPlatform(readConfiguration({ ...env, ...more }), log);
      try {
        await receiver.news.until('the delivery', () => receiver.received.length > 0);
        const recorded = { tenant: 'default', what: 'its record' };
        await onceLogged(platform.engine, recorded, async () => {
          const { jobs } = await platform.engine.jobs({ tenant: 'default', limit: 9 });
          return jobs.filter(({ phase }) => phase === 'succeeded').length >= 2;
        });
      } finally {
        await platform.stop();
      }
      const [request, ...others] = receiver.received;
      assert.deepEqual(others, []);
      assert.equal((verified(secret, request!) as { type: string }).type, 'job_succeeded');
      assert.ok(warnings.some((message) => message.includes('PAWL_OUTGOING_ALLOW')));
    });
  }
}

test('[T37] a worker that dies while it delivers is replaced, and the id stays the same', async () => {
  const fixture = await openWebhookFixture();
  const { api, receiver } = fixture;
  await hook(fixture);
  // The first answer never comes: whoever waits for it is as good as dead.
  receiver.replies.push(() => undefined);
  await succeed(api);
  await fixture.follow();
  await fixture.worker().poll();
  await receiver.news.until('the first request', () => receiver.received.length === 1);
  await fixture.pass(600_000);
  await fixture.pass(600_000);
  await fixture.deliver();
  assert.equal(receiver.received.length, 2);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  assert.equal(new Set(ids).size, 1);
});

test('[T37] a batch of the log that comes again makes no second delivery', async () => {
  const fixture = await openWebhookFixture();
  await hook(fixture);
  await succeed(fixture.api);
  await fixture.follow();
  const again = fixture.world.engine.follow({
    name: 'from the start',
    handle: async (items) => {
      const { context, engine } = fixture.world;
      const deps = { engine, records: new WebhookRecords(context.store.records) };
      assert.ok((await fanOut(deps, items)).length > 0);
    },
  });
  assert.equal((await again.runOnce()).kind, 'handled');
  await fixture.deliver();
  assert.equal(fixture.receiver.received.length, 1);
});
