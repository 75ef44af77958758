import assert from 'node:assert/strict';
import { eventually } from '../../../test/support/eventually.ts';
import { onEveryServer } from '../../../test/support/postgres/store-room.ts';
import type { Job } from '../../core/job.ts';
import type { ArtifactCommit } from '../artifact.ts';

function commitOf(job: Job, id: string, more: Partial<ArtifactCommit> = {}): ArtifactCommit {
  return {
    tenant: job.tenant,
    id,
    name: 'report',
    size: 6,
    sha256: 'ab'.repeat(32),
    contentType: 'text/plain',
    location: id,
    holder: { jobId: job.id, owner: job.owner!, epoch: job.epoch },
    keepMs: null,
    tenantBytesMax: 10,
    ...more,
  };
}

await onEveryServer(
  '[R36] a commit that waited for the job is judged by what it then finds',
  async (room) => {
    const store = await room.open();
    const scene = room.scene(store);
    const job = await scene.running();
    const [other, watcher] = [await room.connect(), await room.connect()];
    await other.query('BEGIN');
    await other.query('SELECT FROM pawl.jobs FOR UPDATE');
    const commit = store.commitArtifacts([commitOf(job, scene.ids.next())]);
    await eventually('the commit waits', async () => {
      const sql = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
        AND query LIKE '%commit_artifact%' AND datname = current_database()`;
      return (await watcher.query(sql)).rowCount === 1;
    });
    await other.query(`UPDATE pawl.jobs SET lease_expiry = 'epoch'`);
    await other.query('COMMIT');
    assert.deepEqual(await commit, [{ kind: 'lost' }]);
  },
);

await onEveryServer('[S13] of two commits at once only one fits the quota', async (room) => {
  const store = await room.open();
  const scene = room.scene(store);
  const jobs = [await scene.running(), await scene.running(), await scene.running()];
  const outcomes = await Promise.all(
    jobs.map(async (job) => (await store.commitArtifacts([commitOf(job, scene.ids.next())]))[0]!),
  );
  assert.equal(outcomes.filter(({ kind }) => kind === 'committed').length, 1);
});

await onEveryServer("a job's artifacts are stale when its row is gone", async (room) => {
  const store = await room.open();
  const scene = room.scene(store);
  const job = await scene.running();
  await store.commitArtifacts([commitOf(job, scene.ids.next())]);
  await scene.ask(job, { on: 'succeed' });
  assert.deepEqual(await store.removeArtifacts({ staleMax: 9 }), []);
  const client = await room.connect();
  await client.query('DELETE FROM pawl.jobs');
  assert.equal((await store.removeArtifacts({ staleMax: 9 })).length, 1);
  const { rows } = await client.query('SELECT bytes FROM pawl.artifact_usage');
  assert.deepEqual(rows, [{ bytes: '0' }]);
});
