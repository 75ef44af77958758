// The built-in types as a platform has them, over HTTP.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { type Platform, startPlatform } from '@pawl/server/internal/app/platform';
import { readStudioSettings } from '../src/settings.ts';
import { ApiClient } from 'pawl/client';
import type { PawlError } from 'pawl/internal/core/errors';
import type { AiResult } from '../src/ai/job.ts';
import { openModelServer, streams } from './model-server.ts';

async function open(
  context: TestContext,
  env: Record<string, string> = {},
): Promise<{ platform: Platform; client: ApiClient; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-built-in-'));
  const configuration = readConfiguration({ PORT: '0', PAWL_DATA: folder, ...env });
  const platform = await startPlatform(configuration, { warn: () => undefined });
  context.after(async () => {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return { platform, client: new ApiClient({ url: platform.url }), folder };
}

const LIFECYCLES = {
  convert: 'task',
  export: 'task',
  ai: 'task',
  document: 'document',
  email: 'platform',
  report: 'platform',
  batch: 'platform',
  index: 'distributed',
  research: 'distributed',
  execute: 'distributed',
  qa: 'distributed',
};

describe('a platform', () => {
  test('[T1, P14, R32] has the built-in types from the start, and refuses what does not fit them', async (context) => {
    const { platform, client, folder } = await open(context);
    assert.deepEqual(platform.types.toSorted(), Object.keys(LIFECYCLES).toSorted());
    const call = { method: 'GET', path: '/v1/types' } as const;
    const { items } = (await client.connection.call(call)).body as {
      items: { type: string; lifecycle: string }[];
    };
    const found = Object.fromEntries(items.map(({ type, lifecycle }) => [type, lifecycle]));
    for (const [type, lifecycle] of Object.entries(LIFECYCLES))
      assert.equal(found[type], lifecycle);
    const bad = { type: 'email', input: { to: [], subject: 'Hi' } };
    await assert.rejects(client.enqueue(bad), (error: PawlError) => {
      const pointers = error.faults.map(({ pointer }) => pointer).toSorted();
      assert.deepEqual(pointers, ['/input/text', '/input/to']);
      return error.code === 'VALIDATION_ERROR' && error.status === 400;
    });
    for (const [type, shapeless] of [
      ['convert', { nope: 1 }],
      ['export', { format: 'odp' }],
    ] as const) {
      const refused = client.enqueue({ type, input: shapeless });
      await assert.rejects(refused, { code: 'VALIDATION_ERROR', status: 400 });
    }
    const input = { to: ['ada@example.org'], subject: 'Hi', text: 'Hello.' };
    const { id } = await client.enqueue({ type: 'email', input });
    assert.equal((await client.waitForEnd(id)).state, 'SUCCESS');
    assert.equal(readdirSync(join(folder, 'outbox')).length, 1);
  });

  test('[T1, T25] asks the model that it is told of, on this machine too, and passes its tokens on', async (context) => {
    const server = await openModelServer(context);
    const watched = Promise.withResolvers<void>();
    server.reply(
      (response) => void watched.promise.then(() => streams('Four', ' cranes.')(response)),
    );
    const env = { OPENAI_BASE_URL: server.baseUrl, PAWL_AI_MODEL: 'm', OPENAI_API_KEY: 'k' };
    const { client } = await open(context, env);
    const { id } = await client.enqueue({ type: 'ai', input: { prompt: 'How many?' } });
    let streamed = '';
    for await (const item of client.events(id)) {
      watched.resolve();
      if (item.kind === 'event' && item.event.type === 'job_tokens') {
        streamed += String(item.event.metadata['text']);
      }
    }
    const { response } = (await client.result(id)) as AiResult;
    assert.deepEqual([response, streamed], ['Four cranes.', 'Four cranes.']);
  });

  test('has none of them where they are switched off', async (context) => {
    const { platform } = await open(context, { PAWL_BUILTIN: 'off' });
    assert.deepEqual(platform.types, []);
  });

  test('does not start with settings that cannot be meant', () => {
    const refused: [Record<string, string>, RegExp][] = [
      [{ PAWL_BUILTIN: 'no' }, /PAWL_BUILTIN is "no": give on or off/],
      [{ OPENAI_BASE_URL: 'https://x/v1' }, /PAWL_AI_MODEL is missing/],
      [{ PAWL_AI_MODEL: 'm', OPENAI_BASE_URL: 'x' }, /OPENAI_BASE_URL is "x"/],
      [{ PAWL_SMTP_URL: 'mail' }, /PAWL_SMTP_URL cannot be read/],
      [{ PAWL_EXECUTE_ALLOW: '/bin/ls,rm' }, /PAWL_EXECUTE_ALLOW has "rm"/],
      [{ PAWL_AI_USER_PER_MINUTE: '0' }, /PAWL_AI_USER_PER_MINUTE is "0"/],
    ];
    for (const [env, message] of refused) assert.throws(() => readStudioSettings(env), message);
  });
});
