// What a platform is told, when it is started, of how long things are kept and what is replayed.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { startPlatform } from '@pawl/server/internal/app/platform';
import { readRetentionSettings } from '@pawl/server/internal/app/retention-settings';
import { DEFAULT_RETENTION } from 'pawl/internal/engine/retention/policy';
import { onceLogged } from '../support/once-logged.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('settings of retention', () => {
  test('without any, the defaults hold and dead letters wait for a person', () => {
    const settings = readRetentionSettings({});
    assert.deepEqual(settings, { retention: DEFAULT_RETENTION, reprocess: [] });
  });

  test('each kind has its time, and never is for ever', () => {
    const { retention } = readRetentionSettings({
      PAWL_RETENTION_JOBS: '7d',
      PAWL_RETENTION_NOTES: '90m',
      PAWL_RETENTION_FEED: '36h',
      PAWL_RETENTION_FIRES: '',
      PAWL_RETENTION_DEAD_LETTERS: 'never',
    });
    assert.deepEqual(retention, {
      ...DEFAULT_RETENTION,
      jobsMs: 7 * DAY,
      notesMs: 1.5 * HOUR,
      feedMs: 1.5 * DAY,
      deadLettersMs: null,
    });
  });

  test('[T14] jobs kept for a day bring the feed along; for less they are refused', () => {
    const { retention } = readRetentionSettings({ PAWL_RETENTION_JOBS: '1d' });
    assert.deepEqual([retention.jobsMs, retention.feedMs], [DAY, DAY]);
    assert.throws(() => readRetentionSettings({ PAWL_RETENTION_JOBS: '23h' }), {
      name: 'ConfigurationError',
      message: 'PAWL_RETENTION_JOBS must be at least 24 hours',
    });
  });

  const wrong: readonly [NodeJS.ProcessEnv, RegExp][] = [
    [{ PAWL_RETENTION_JOBS: 'soon' }, /^PAWL_RETENTION_JOBS is "soon": give a time such as 30d/],
    [{ PAWL_RETENTION_NOTES: '-1d' }, /^PAWL_RETENTION_NOTES is "-1d": give/],
    [
      { PAWL_RETENTION_JOBS: '2d', PAWL_RETENTION_FEED: '3d' },
      /^PAWL_RETENTION_FEED must not be longer than PAWL_RETENTION_JOBS$/,
    ],
    [
      { PAWL_REPROCESS_REASONS: 'bad_luck' },
      /^PAWL_REPROCESS_REASONS has "bad_luck": give some of/,
    ],
    [
      { PAWL_REPROCESS_REASONS: 'timeout', PAWL_REPROCESS_TIMES: '0' },
      /^PAWL_REPROCESS_TIMES is "0": give a whole number from 1$/,
    ],
    [
      { PAWL_REPROCESS_REASONS: 'timeout', PAWL_REPROCESS_DELAY: 'x' },
      /^PAWL_REPROCESS_DELAY is "x": give a time/,
    ],
  ];
  for (const [env, message] of wrong) {
    test(`${JSON.stringify(env)} is refused by name, with the way out`, () => {
      assert.throws(() => readConfiguration(env), { name: 'ConfigurationError', message });
    });
  }

  test('[T21] reasons make one rule for each tenant', () => {
    const { reprocess } = readRetentionSettings({
      PAWL_REPROCESS_REASONS: 'timeout, dependency_unavailable',
      PAWL_REPROCESS_TENANTS: 'acme,globex',
      PAWL_REPROCESS_TYPES: 'mail',
      PAWL_REPROCESS_DELAY: '30s',
      PAWL_REPROCESS_TIMES: '2',
      PAWL_REPROCESS_PER_MINUTE: '5',
    });
    const rule = {
      reasons: ['timeout', 'dependency_unavailable'],
      types: ['mail'],
      delayMs: 30_000,
      replaysMax: 2,
      rate: { max: 5, perMs: 60_000 },
    };
    assert.deepEqual(reprocess, [
      { ...rule, tenant: 'acme' },
      { ...rule, tenant: 'globex' },
    ]);
  });
});

test('[T21] a platform that is told to replay does so by itself', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-reprocess-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const platform = await startPlatform(
    readConfiguration({
      PORT: '0',
      PAWL_DATA: folder,
      PAWL_REPROCESS_REASONS: 'exhausted_retries',
      PAWL_REPROCESS_DELAY: '0s',
    }),
    { warn: () => undefined },
  );
  const { engine } = platform;
  try {
    const caller = { tenant: 'default', principal: null };
    const retry = { maxAttempts: 1 };
    await engine.putType({ tenant: 'default', type: 'mail' }, { lifecycle: 'task', retry });
    const [made] = await engine.enqueue([{ type: 'mail', input: { to: 'Ann' } }], { caller });
    const [claim] = await engine.claim({ owner: 'w1', types: ['mail'], max: 1 });
    const { job } = claim!;
    const error = { class: 'network_timeout', message: 'too slow' };
    const ending = { kind: 'fail', error } as const;
    await engine.settle([{ ref: job, owner: 'w1', epoch: job.epoch, ending }]);
    const replayed = { tenant: 'default', what: 'the sweep replays the dead letter' };
    const child = await onceLogged(engine, replayed, async () => {
      const { jobs } = await engine.jobs({ tenant: 'default', limit: 10 });
      return jobs.find(({ parentJobId }) => parentJobId === job.id);
    });
    assert.equal(child.input, '{"to":"Ann"}');
    assert.ok(made!.kind === 'created');
  } finally {
    await platform.stop();
  }
});
