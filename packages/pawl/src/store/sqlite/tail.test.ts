import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { ManualClock } from '../../core/clock.ts';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { Scene } from '../../../test/store/suite/scene.ts';
import { databasePath } from '../../../../../test/support/sqlite/threaded-scene.ts';
import type { TailQuery } from '../query.ts';
import type { Purge } from '../retention.ts';
import { openSqliteStore } from './store.ts';

async function openScene(
  t: TestContext,
  path: string = databasePath(t),
): Promise<{ scene: Scene; db: DatabaseSync; path: string }> {
  const clock = new ManualClock();
  const store = await openSqliteStore({ path, lifecycles, clock, mode: 'inline' });
  const db = new DatabaseSync(path);
  t.after(async () => {
    db.close();
    await store.close();
  });
  return { scene: new Scene({ store, clock, lifecycles }), db, path };
}

/** Everything that may go goes. */
async function purgeAll({ store, clock }: Scene): Promise<void> {
  const cut = clock.now();
  const cuts: Purge = { jobs: cut, notes: cut, feed: cut, keys: cut, limit: 100 };
  while ((await store.purge(cuts)).hasMore);
}

const all = (from: TailQuery['from']): TailQuery => ({ tenant: null, from, limit: 100 });

describe('the tail', () => {
  test('takes no number twice after a purge, also when the file is opened again', async (t) => {
    const { scene, db, path } = await openScene(t);
    const gone = await scene.running();
    await scene.renew(gone);
    await scene.ask(gone, { on: 'succeed' });
    const { cursor } = await scene.store.tail(all('end'));
    scene.clock.advance(1);
    await purgeAll(scene);
    assert.equal(db.prepare('SELECT count(*) AS n FROM log').get()!['n'], 0);
    assert.equal(db.prepare('SELECT count(*) AS n FROM facts').get()!['n'], 0);
    await scene.store.close();
    const { scene: again } = await openScene(t, path);
    const job = await again.enqueue();
    const page = await again.store.tail(all({ cursor }));
    assert.equal(page.isReset, false);
    assert.deepEqual(
      page.items.map(({ event }) => event.jobId),
      [job.id],
    );
    const { key } = db.prepare('SELECT max(key) AS key FROM facts').get()!;
    assert.equal(key, 2, 'the number of the first job is not given again');
  });

  test('leaves out the jobs of an entry that are gone, and keeps the others’', async (t) => {
    const { scene, db } = await openScene(t);
    const jobs = [await scene.newJob(), await scene.newJob()];
    await scene.store.insert(jobs);
    const [first] = await scene.claim({ max: 1 });
    await scene.ask(first!.job, { on: 'succeed' });
    scene.clock.advance(1);
    await purgeAll(scene);
    const { items } = await scene.store.tail(all('start'));
    const other = jobs.find(({ id }) => id !== first!.job.id)!;
    assert.deepEqual(
      items.map(({ event }) => [event.jobId, event.type]),
      [[other.id, 'job_created']],
    );
    assert.equal(db.prepare('SELECT count(*) AS n FROM log').get()!['n'], 1);
    assert.deepEqual(await scene.events(first!.job), []);
  });

  test('is the log of one incarnation, which a second open does not change', async (t) => {
    const { scene } = await openScene(t);
    const other = await openScene(t);
    const { cursor } = await scene.store.tail(all('end'));
    assert.equal((await other.scene.store.tail(all({ cursor }))).isReset, true);
    assert.equal((await scene.store.tail(all({ cursor }))).isReset, false);
  });
});

describe('a job’s history', () => {
  test('[R5] of hundreds of entries is read in pages, none left out', async (t) => {
    const { scene, db } = await openScene(t);
    let job = await scene.running();
    for (let round = 0; round < 120; round++) {
      await scene.ask(job, { on: 'release' });
      job = await scene.claimOne();
    }
    const versions: number[] = [];
    let after = { version: 0, note: 0 };
    for (let hasMore = true; hasMore;) {
      const ref = { tenant: scene.tenant, id: job.id };
      const page = await scene.store.events({ ...ref, after, limit: 7, notes: false });
      versions.push(...page.events.map(({ version }) => version));
      after = { version: versions.at(-1)!, note: 0 };
      hasMore = page.hasMore;
    }
    assert.deepEqual(
      versions,
      Array.from({ length: job.version }, (_, index) => index + 1),
    );
    const { more_n: kept } = db.prepare('SELECT more_n FROM live').get()!;
    assert.ok((JSON.parse(kept as string) as number[]).length < 32);
  });
});

describe('the view of events', () => {
  test('[R18, R19] names each event’s job', async (t) => {
    const { scene, db } = await openScene(t);
    const job = await scene.running({ type: 'document', correlationId: 'c-1' });
    await scene.renew(job);
    const rows = db
      .prepare(
        `SELECT job_id, type, correlation_id, version, from_state, to_state FROM job_events
          ORDER BY version`,
      )
      .all();
    assert.deepEqual(
      rows.map((row) => Object.values(row)),
      [
        [job.id, 'job_created', 'c-1', 1, null, 'CREATED'],
        [job.id, 'job_queued', 'c-1', 2, 'CREATED', 'QUEUED'],
        [job.id, 'job_claimed', 'c-1', 3, 'QUEUED', 'RUNNING'],
        [job.id, 'job_heartbeat', 'c-1', 3, 'RUNNING', 'RUNNING'],
      ],
    );
  });
});
