import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from 'pawl/internal/core/clock';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import type { Store } from 'pawl/internal/store/store';
import { freshDatabase } from '../../test/support/postgres/fresh-database.ts';
import { postgresServers } from '../../test/support/postgres/servers.ts';
import { SUCCESS, TENANT } from '../core/contender.ts';
import { openEngine, OWNER, playTemplates, type Templates, TYPE } from '../growth/templates.ts';
import { type Copies, dayBefore } from './copies.ts';
import { copyJobs } from './postgres-copies.ts';
import { withClient } from './with-client.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A store with jobs that were really played, and so many copies of them. */
async function withCopies(
  copiesOf: (templates: Templates, now: number) => readonly Copies[],
  body: (store: Store, templates: Templates) => Promise<void>,
): Promise<void> {
  const database = await freshDatabase((await postgresServers()).at(-1)!);
  const store = await openPostgresStore({ url: database.url, lifecycles });
  try {
    const templates = await playTemplates(store, systemClock);
    await withClient(database.url, async (client) => {
      for (const copies of copiesOf(templates, Date.now())) await copyJobs(client, copies);
    });
    await body(store, templates);
  } finally {
    await store.close();
    await database.drop();
  }
}

async function listAll(store: Store, phase: 'succeeded' | 'failed' | 'ready'): Promise<string[]> {
  const { jobs } = await store.list({ tenant: TENANT, limit: 500, phase });
  return jobs.map(({ id }) => id);
}

describe('copies of jobs on PostgreSQL', () => {
  test('are read with the events of the job they are copies of', async () => {
    const copies = ({ ended }: Templates, now: number): Copies[] => [
      { of: ended, count: 250, ...dayBefore(now) },
    ];
    await withCopies(copies, async (store, { ended }) => {
      const succeeded = await listAll(store, 'succeeded');
      const failed = await listAll(store, 'failed');
      assert.deepEqual([succeeded.length, failed.length], [1 + 245, 1 + 2]);
      for (const [copy, original] of [
        [succeeded.at(-1)!, ended[2]!],
        [failed.at(-1)!, ended[0]!],
      ] as const) {
        assert.notEqual(copy, original);
        const [told, known] = [await lifeOf(store, copy), await lifeOf(store, original)];
        assert.deepEqual(told.facts, known.facts);
        assert.ok(told.at > Date.now() - 2 * DAY_MS && told.at < known.at);
      }
    });
  });

  test('of a waiting job are claimed before younger ones', async () => {
    const copies = ({ ready }: Templates, now: number): Copies[] => [
      { of: [ready], count: 120, from: now - HOUR_MS, to: now - 1 },
    ];
    await withCopies(copies, async (store, { ready }) => {
      const { engine } = await openEngine(store);
      const claims = await engine.claim({ owner: OWNER, types: [TYPE], max: 121 });
      assert.equal(new Set(claims.map(({ job }) => job.id)).size, 121);
      assert.equal(claims.at(-1)!.job.id, ready);
      const outcomes = await engine.settle(
        claims.map(({ job }) => ({ ref: job, owner: OWNER, epoch: job.epoch, ending: SUCCESS })),
      );
      assert.ok(outcomes.every(({ kind }) => kind === 'moved'));
    });
  });

  test('that are older than every partition are purged by the slice', async () => {
    const copies = ({ ended }: Templates, now: number): Copies[] => [
      { of: ended, count: 150, from: now - 40 * DAY_MS, to: now - 39 * DAY_MS },
    ];
    await withCopies(copies, async (store) => {
      const cut = Date.now() - 30 * DAY_MS;
      const cuts = { jobs: cut, keys: null, notes: null, feed: null, limit: 100 };
      assert.equal((await store.purge(cuts)).jobs, 100);
      assert.equal((await store.purge(cuts)).jobs, 50);
      assert.equal((await listAll(store, 'succeeded')).length, 1);
    });
  });
});

/** What must be the same in a copy, and when it was created. */
async function lifeOf(store: Store, id: string): Promise<{ facts: unknown; at: number }> {
  const ref = { tenant: TENANT, id };
  const [job] = await store.read([ref]);
  const { events } = await store.events({ ...ref, after: null, limit: 50, notes: true });
  const { state, phase, epoch, version, attempts, error, input, createdAt: at } = job!;
  const moves = events.map((event) => ({
    type: event.type,
    version: event.version,
    from: event.from,
    to: event.to,
    cause: event.cause,
    after: event.at - at,
  }));
  return { facts: { state, phase, epoch, version, attempts, error, input, moves }, at };
}
