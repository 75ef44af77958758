import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { ManualClock } from '../../core/clock.ts';
import { builtInLifecycles } from '../../lifecycles/built-in.ts';
import { Scene } from '../../../test/store/suite/scene.ts';
import { openSqliteStore, type SqliteStore } from './store.ts';

test("a job's artifacts are stale when its row is gone", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-artifact-'));
  const path = join(folder, 'jobs.db');
  const clock = new ManualClock();
  const open = (): Promise<SqliteStore> =>
    openSqliteStore({ path, clock, lifecycles: builtInLifecycles, mode: 'inline' });
  try {
    const first = await open();
    const scene = new Scene({ store: first, clock, lifecycles: builtInLifecycles });
    const job = await scene.running();
    const id = scene.ids.next();
    const [outcome] = await first.commitArtifacts([
      {
        tenant: job.tenant,
        id,
        name: 'report',
        size: 6,
        sha256: 'ab'.repeat(32),
        contentType: 'text/plain',
        location: id,
        holder: { jobId: job.id, owner: job.owner!, epoch: job.epoch },
        keepMs: null,
        tenantBytesMax: null,
      },
    ]);
    assert.equal(outcome!.kind, 'committed');
    await scene.ask(job, { on: 'succeed' });
    assert.deepEqual(await first.removeArtifacts({ staleMax: 9 }), []);
    await first.close();
    const db = new DatabaseSync(path);
    db.exec('DELETE FROM jobs');
    db.close();
    const second = await open();
    const removed = await second.removeArtifacts({ staleMax: 9 });
    assert.deepEqual(
      removed.map(({ location }) => location),
      [id],
    );
    await second.close();
    const after = new DatabaseSync(path);
    assert.equal(after.prepare('SELECT bytes FROM artifact_usage').get()!['bytes'], 0);
    after.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
