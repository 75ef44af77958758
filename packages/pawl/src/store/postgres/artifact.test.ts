import assert from 'node:assert/strict';
import { eventually } from '../../../../../test/support/eventually.ts';
import { onEveryServer } from '../../../../../test/support/postgres/store-fixture.ts';
import type { Job } from '../../core/job.ts';
import type { ArtifactCommit } from '../../records/artifacts.ts';

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
  async (fixture) => {
    const store = await fixture.open();
    const scene = fixture.scene(store);
    const job = await scene.running();
    const [other, watcher] = [await fixture.connect(), await fixture.connect()];
    await other.query('BEGIN');
    await other.query('SELECT FROM pawl.live FOR UPDATE');
    const commit = scene.records.artifacts.commit(commitOf(job, scene.ids.next()));
    await eventually('the commit waits', async () => {
      const sql = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
        AND query LIKE '%holds_job%' AND datname = current_database()`;
      return (await watcher.query(sql)).rowCount === 1;
    });
    await other.query(`SET LOCAL pawl.verb = 'on'; UPDATE pawl.live SET lease_expiry = 'epoch'`);
    await other.query('COMMIT');
    assert.deepEqual(await commit, { kind: 'lost' });
  },
);
