// What answers cost: counted for each user and tenant, and never more than their budgets.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { startPlatform } from '@pawl/server/internal/app/platform';
import { ApiClient } from 'pawl/client';
import type { AiResult } from '../src/ai/job.ts';
import { openFixture } from './ai-fixture.ts';
import { readStudioSettings } from '../src/settings.ts';
import { resultOf } from './job-fixture.ts';
import { breaksOff, openModelServer, says, streams } from './model-server.ts';

/** The model server says 40 tokens in and 3 out: 40 × 1 + 3 × 10 millionths. */
const prices = { prompt: 1, completion: 10 };
const COST = 0.000_07;
const input = { prompt: 'How many ships came this year?', maxTokens: 10 };
/** What is set aside for that: 10 tokens in and 10 out. */
const RESERVED = 0.000_11;
const NONE = { perUser: null, perOrganisation: null };

describe('an ai job that costs something', () => {
  test('says what it has cost, and adds it to its user and tenant', async (context) => {
    const fixture = await openFixture(context, { paid: { prices, budgets: NONE } });
    fixture.server.reply(streams('Three.'));
    const job = await fixture.run('ai', input);
    assert.equal(resultOf<AiResult>(job).cost, COST);
    await fixture.run('ai', input, { limitKey: 'desk-1' });
    const { spent } = await fixture.spending!.spent(job.tenant, null);
    const usual = { answers: 1, promptTokens: 40, completionTokens: 3 };
    assert.deepEqual(spent, [
      { user: null, cost: 2 * COST, answers: 2, promptTokens: 80, completionTokens: 6 },
      { user: 'desk-1', cost: COST, ...usual },
      { user: 'tester', cost: COST, ...usual },
    ]);
  });

  test('is refused where the budget of its user or tenant does not cover it', async (context) => {
    for (const budgets of [
      { perUser: RESERVED + COST / 2, perOrganisation: null },
      { perUser: null, perOrganisation: RESERVED + COST / 2 },
    ]) {
      const fixture = await openFixture(context, { paid: { prices, budgets } });
      fixture.server.reply(streams('Three.'));
      assert.equal((await fixture.run('ai', input)).state, 'succeeded');
      const { state, error, attempts } = await fixture.run('ai', input);
      assert.deepEqual([state, error?.code, attempts], ['failed', 'AI_BUDGET_SPENT', 1]);
      assert.match(error!.message, /2026-|\d{4}-\d\d-\d\d/);
      assert.equal(fixture.server.received.length, 1);
      fixture.world.advance(86_400_000);
      assert.equal((await fixture.run('ai', input)).state, 'succeeded', 'a new day');
    }
  });

  test('costs nothing where nothing was answered, and what was set aside where it broke off', async (context) => {
    const fixture = await openFixture(context, { paid: { prices, budgets: NONE } });
    fixture.server.reply(says(401, { message: 'no' }));
    const { tenant } = await fixture.run('ai', input);
    assert.equal((await fixture.spending!.spent(tenant, null)).spent[0]!.cost, 0);
    fixture.server.reply(breaksOff('destroy'), streams('Three.'));
    await fixture.run('ai', input);
    await fixture.pass(10_000);
    const [all] = (await fixture.spending!.spent(tenant, null)).spent;
    assert.deepEqual([all!.cost, all!.answers], [0.000_18, 1]);
  });
});

test('a platform with prices tells what a day has cost, and none without prices has a budget', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-spending-'));
  const server = await openModelServer(context);
  server.reply(streams('Three.'));
  const env = {
    PORT: '0',
    PAWL_DATA: folder,
    OPENAI_BASE_URL: server.baseUrl,
    PAWL_AI_MODEL: 'test-model',
    PAWL_AI_PRICES: '1/10',
    PAWL_AI_USER_BUDGET: '0.5',
  };
  const platform = await startPlatform(readConfiguration(env), { warn: () => undefined });
  context.after(async () => {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const client = new ApiClient({ url: platform.url });
  const { id } = await client.enqueue({ type: 'ai', input, limitKey: 'desk-1' });
  assert.equal((await client.waitForEnd(id)).state, 'succeeded');
  const told = await fetch(`${platform.url}/v1/ai/spending`);
  const { spent } = (await told.json()) as { spent: { user: string | null; cost: number }[] };
  assert.deepEqual(
    spent.map(({ user, cost }) => [user, cost]),
    [
      [null, COST],
      ['desk-1', COST],
    ],
  );
  const other = await fetch(`${platform.url}/v1/ai/spending?day=2020-01-01`);
  assert.deepEqual(await other.json(), { day: '2020-01-01', spent: [] });
  assert.throws(() => readStudioSettings({ PAWL_AI_USER_BUDGET: '5' }), /PAWL_AI_PRICES/);
  assert.throws(() => readStudioSettings({ PAWL_AI_PRICES: '5' }), /2\.5\/10/);
});
