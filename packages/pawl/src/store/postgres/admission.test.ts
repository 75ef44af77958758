import assert from 'node:assert/strict';
import { onEveryServer } from '../../../../../test/support/postgres/store-fixture.ts';
import { limitPolicyOf } from '../../core/limits.ts';

const LIMITS = limitPolicyOf({ runningPerKey: 1, rate: { perUser: { max: 5, perMs: 1_000 } } })!;

await onEveryServer(
  '[T11] a job of a caller’s transaction holds up nobody, and is let in by the next sweep',
  async (fixture) => {
    const store = await fixture.open();
    const scene = fixture.scene(store);
    await scene.type('export', 'task', { limits: LIMITS });
    const options = { type: 'export', documentId: 'd', requestedBy: 'ada' };
    const running = await scene.running(options);
    const client = await fixture.connect();
    await client.query('BEGIN');
    const mine = await scene.newJob(options);
    assert.equal((await store.within(client)([mine]))[0]!.kind, 'created');
    await scene.ask(running, { on: 'succeed' });
    const other = await scene.enqueue(options);
    assert.equal((await scene.claimOne()).id, other.id);
    await scene.ask(await scene.read(other), { on: 'succeed' });
    await client.query('COMMIT');
    assert.deepEqual(await store.claim(scene.claimRequest()), []);
    await store.due(100);
    assert.equal((await store.claim(scene.claimRequest()))[0]!.job.id, mine.id);
  },
);

await onEveryServer(
  '[T10, T11, T12] a job from plain SQL is counted like any other',
  async (fixture) => {
    const store = await fixture.open();
    const scene = fixture.scene(store);
    const rate = { perOrganisation: { max: 9, perMs: 9 } };
    const limits = limitPolicyOf({ activePerDocument: true, runningPerKey: 1, rate })!;
    await scene.type('export', 'task', { limits });
    await scene.enqueue({ type: 'export', documentId: 'd' });
    const client = await fixture.connect();
    const sql = `SELECT pawl.add_job('export', tenant => $1, document_id => $2)`;
    await assert.rejects(client.query(sql, [scene.tenant, 'd']), /is active for document d/);
    await client.query(sql, [scene.tenant, 'e']);
    const { rows } = await client.query(
      'SELECT limit_key, active_key, organisation_key FROM pawl.keys ORDER BY seq',
    );
    const expected = JSON.parse(JSON.stringify(rows[0]).replaceAll(/ d"/g, ' e"')) as unknown;
    assert.deepEqual(rows[1], expected);
  },
);
