import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, type TestContext, test } from 'node:test';
import { ManualClock } from '../../core/clock.ts';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { Scene } from '../../../test/store/suite/scene.ts';
import type { TailQuery } from '../query.ts';
import { openSqliteStore } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-stream-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function openScene(
  t: TestContext,
  name: string,
): Promise<{ scene: Scene; db: DatabaseSync }> {
  const path = join(folder, `${name}.sqlite`);
  const clock = new ManualClock();
  const store = await openSqliteStore({ path, lifecycles, clock, mode: 'inline' });
  const db = new DatabaseSync(path);
  t.after(async () => {
    db.close();
    await store.close();
  });
  return { scene: new Scene({ store, clock, lifecycles }), db };
}

describe('the tail', () => {
  const all = (from: TailQuery['from']): TailQuery => ({ tenant: null, from, limit: 100 });

  test('is reset for a cursor whose lines retention has taken', async (t) => {
    const { scene, db } = await openScene(t, 'trimmed');
    const { cursor } = await scene.store.tail(all('start'));
    for (let n = 0; n < 3; n++) await scene.enqueue();
    db.exec('DELETE FROM feed WHERE seq <= 2');
    const page = await scene.store.tail(all({ cursor }));
    assert.deepEqual([page.isReset, page.items.length], [true, 0]);
    const rest = await scene.store.tail(all('start'));
    assert.deepEqual([rest.isReset, rest.items.length], [false, 1]);
    assert.equal((await scene.store.tail(all({ cursor: page.cursor }))).isReset, false);
  });

  test('goes on after all of the feed was taken, and takes no number twice', async (t) => {
    const { scene, db } = await openScene(t, 'emptied');
    await scene.enqueue();
    const { cursor } = await scene.store.tail(all('end'));
    db.exec('DELETE FROM feed');
    const job = await scene.enqueue();
    const page = await scene.store.tail(all({ cursor }));
    assert.equal(page.isReset, false);
    assert.deepEqual(
      page.items.map(({ event }) => event.jobId),
      [job.id],
    );
  });

  test('leaves out the events of a deleted job, whose number no other job gets', async (t) => {
    const { scene, db } = await openScene(t, 'deleted');
    const gone = await scene.ask(await scene.running(), { on: 'succeed' });
    db.exec('DELETE FROM jobs');
    const job = await scene.enqueue();
    const { items } = await scene.store.tail(all('start'));
    assert.deepEqual(
      items.map(({ event }) => [event.jobId, event.version]),
      [[job.id, 1]],
    );
    assert.deepEqual(await scene.events(gone), []);
  });

  test('is the log of one incarnation, which a second open does not change', async (t) => {
    const { scene } = await openScene(t, 'one');
    const other = await openScene(t, 'two');
    const { cursor } = await scene.store.tail(all('end'));
    assert.equal((await other.scene.store.tail(all({ cursor }))).isReset, true);
    assert.equal((await scene.store.tail(all({ cursor }))).isReset, false);
  });
});

describe('the view of events', () => {
  test('[R18, R19] names each event’s job, and finds rare types by an index', async (t) => {
    const { scene, db } = await openScene(t, 'view');
    const job = await scene.running({ type: 'task', correlationId: 'c-1' });
    await scene.renew(job);
    const rows = db.prepare('SELECT job_id, type, correlation_id FROM job_events').all();
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      ['job_created', 'job_claimed', 'job_heartbeat'].map((type) => ({
        job_id: job.id,
        type,
        correlation_id: 'c-1',
      })),
    );
    const plan = db
      .prepare(`EXPLAIN QUERY PLAN SELECT * FROM events WHERE type = 'job_failed' AND ts > 5`)
      .all();
    assert.match(String(plan[0]!['detail']), /INDEX events_rare \(type=\? AND ts>\?\)/);
  });
});
