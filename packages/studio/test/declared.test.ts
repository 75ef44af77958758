// What convert, export and ai declare, as a platform has registered it: the tables of document T.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ERROR_CLASSES } from 'pawl/internal/core/error-class';
import type { Policy } from 'pawl/internal/core/policy';
import { SeededRandom } from 'pawl/internal/core/random';
import { type JobDefinition, typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { targetIn } from '@pawl/server/internal/slo/registered';
import { aiJob } from '../src/ai/job.ts';
import { extractiveModel } from '../src/ai/extractive.ts';
import { convert } from '../src/convert/job.ts';
import { exportDeck } from '../src/export/job.ts';
import { openWorld, TENANT, type World } from '../../../test/support/world.ts';

const rate = { max: 1_000, per: '1s' } as const;
const ai = aiJob({
  model: extractiveModel,
  random: new SeededRandom(1),
  spending: null,
  mayPersist: true,
  timeoutMs: 60_000,
  rate: { perUser: rate, perOrganisation: rate },
});

const JOBS: readonly JobDefinition[] = [convert, exportDeck, ai];

async function openTypes(): Promise<World> {
  const types = Object.fromEntries(JOBS.map((job) => [job.type, typeDefinitionOf(job)]));
  return openWorld({ types });
}

async function policyOf({ engine }: World, type: string): Promise<Policy> {
  const { registry } = engine;
  const { policy } = await registry.type(TENANT, type);
  return registry.policy(policy);
}

const CAPPED = { kind: 'exponential', factor: 2 } as const;

/** Retryable classes, attempts and backoff of each type. */
const RETRIES = {
  convert: {
    classes: ['ai_rate_limit', 'network_timeout', 'transient_storage'],
    maxAttempts: 3,
    backoff: { ...CAPPED, baseMs: 2_000, maxMs: 30_000, jitter: 'full' },
  },
  export: {
    classes: ['network_timeout', 'transient_storage'],
    maxAttempts: 3,
    backoff: { ...CAPPED, baseMs: 2_000, maxMs: 30_000, jitter: 'full' },
  },
  ai: {
    classes: ['model_overloaded', 'network_timeout'],
    maxAttempts: 2,
    backoff: { ...CAPPED, baseMs: 1_000, maxMs: 10_000, jitter: 'decorrelated' },
  },
} as const;

const TARGETS = {
  convert: { p50Ms: 6_000, p95Ms: 15_000, p99Ms: 30_000, measures: 'duration' },
  export: { p50Ms: 4_000, p95Ms: 12_000, p99Ms: 25_000, measures: 'duration' },
  ai: { p50Ms: 1_200, p95Ms: 4_000, p99Ms: 8_000, measures: 'first_token' },
} as const;

for (const type of ['convert', 'export', 'ai'] as const) {
  describe(type, () => {
    const { classes, maxAttempts, backoff } = RETRIES[type];

    test('[T5] has the attempts and the backoff of the table', async () => {
      const { retry } = await policyOf(await openTypes(), type);
      assert.deepEqual(retry, { maxAttempts, backoff });
    });

    test('[T5, T6] is retried for the listed classes, and for no other that is known', async () => {
      const world = await openTypes();
      const retried: string[] = [];
      const losses = ['worker_lost', 'handler_crashed'];
      const known = Object.keys(ERROR_CLASSES).filter((name) => !losses.includes(name));
      for (const errorClass of known) {
        await world.enqueue(type, null, { documentId: errorClass });
        const job = await world.fail(await world.claimOne('w1', type), errorClass);
        if (job.phase === 'waiting') retried.push(errorClass);
      }
      assert.deepEqual(retried.toSorted(), classes);
    });

    test('[T22] promises the times of the table, and fewer than 2 % of failures', async () => {
      const { engine } = await openTypes();
      const target = await targetIn(engine.registry, TENANT, type);
      assert.deepEqual(target, { ...TARGETS[type], failureRateMax: 0.02 });
    });
  });
}
