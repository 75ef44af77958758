import assert from 'node:assert/strict';
import { eventIdOf } from '../../core/ids.ts';
import { onEveryServer } from '../../../../../test/support/postgres/store-fixture.ts';

await onEveryServer(
  'a job enqueued within a transaction is there after its commit',
  async (fixture) => {
    const store = await fixture.open();
    const scene = fixture.scene(store);
    const client = await fixture.connect();
    const job = await scene.newJob();
    await client.query('BEGIN');
    assert.equal((await store.within(client)([job]))[0]!.kind, 'created');
    assert.deepEqual(await store.read([job]), [null]);
    assert.deepEqual(await scene.claim(), []);
    await client.query('COMMIT');
    assert.equal((await scene.claimOne()).id, job.id);
  },
);

await onEveryServer(
  'a job enqueued within a transaction is gone with its rollback',
  async (fixture) => {
    const store = await fixture.open();
    const scene = fixture.scene(store);
    const client = await fixture.connect();
    const job = await scene.newJob({
      idempotency: { key: 'k', payloadHash: 'h', windowMs: 1_000 },
    });
    await client.query('BEGIN');
    await store.within(client)([job]);
    await client.query('ROLLBACK');
    assert.deepEqual(await store.read([job]), [null]);
    assert.deepEqual(await scene.events(job), []);
    assert.equal((await store.insert([job]))[0]!.kind, 'created');
  },
);

await onEveryServer(
  'a transaction left open on a key does not stall the batch of others',
  async (fixture) => {
    const store = await fixture.open();
    const scene = fixture.scene(store);
    const client = await fixture.connect();
    const idempotency = { key: 'k', payloadHash: 'h', windowMs: 60_000 };
    const first = await scene.newJob({ idempotency });
    await client.query('BEGIN');
    await store.within(client)([first]);
    const again = store.insert([await scene.newJob({ idempotency })]);
    const others = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const key = { key: `k${index}`, payloadHash: 'h', windowMs: 60_000 };
        return store.insert([await scene.newJob({ idempotency: index % 2 === 0 ? key : null })]);
      }),
    );
    assert.ok(others.every(([outcome]) => outcome!.kind === 'created'));
    await client.query('COMMIT');
    assert.deepEqual(await again, [{ kind: 'replayed', id: first.id }]);
  },
);

await onEveryServer(
  '[R14] racers with one key make one job and all learn its id',
  async (fixture) => {
    const stores = [await fixture.open(), await fixture.open(), await fixture.open()];
    const scenes = stores.map((store) => fixture.scene(store));
    const { tenant } = scenes[0]!;
    await Promise.all(scenes.map((scene) => scene.newJob()));
    for (const key of ['one', 'two', 'three', 'one']) {
      const idempotency = { key, payloadHash: 'h', windowMs: 60_000 };
      const outcomes = await Promise.all(
        Array.from({ length: 48 }, async (_, index) => {
          const job = { ...(await scenes[index % 3]!.newJob({ idempotency })), tenant };
          const [outcome] = await stores[index % 3]!.insert([job]);
          return {
            created: outcome!.kind === 'created',
            id: outcome!.kind === 'created' ? job.id : outcome!.id,
          };
        }),
      );
      assert.equal(new Set(outcomes.map(({ id }) => id)).size, 1, key);
      assert.ok(outcomes.filter(({ created }) => created).length <= 1);
      if (key === 'three') fixture.clock.advance(60_000);
    }
  },
);

await onEveryServer(
  'one bad item fails its own call and no other of the batch',
  async (fixture) => {
    const store = await fixture.open();
    const scene = fixture.scene(store);
    const jobs = await Promise.all(Array.from({ length: 12 }, () => scene.newJob()));
    const bad = { ...jobs[5]!, correlationId: 'a\u0000b' };
    const calls = jobs.map((job, index) => store.insert([index === 5 ? bad : job]));
    const settled = await Promise.allSettled(calls);
    assert.deepEqual(
      settled.map(({ status }) => status),
      jobs.map((_, index) => (index === 5 ? 'rejected' : 'fulfilled')),
    );
    await assert.rejects(calls[5]!, { outcome: 'refused' });
  },
);

await onEveryServer('a payload with an escaped NUL is stored as it is', async (fixture) => {
  const scene = fixture.scene(await fixture.open());
  const input = '{"text": "a\\u0000b\\ud800",\n "n": 1.0e2}';
  const job = await scene.running({ input, metadata: input });
  assert.deepEqual([job.input, job.metadata], [input, input]);
  const ended = await scene.ask(job, { on: 'succeed' }, { result: input, checkpoint: input });
  assert.deepEqual([ended.result, ended.checkpoint], [input, input]);
});

await onEveryServer(
  '[R18] the view job_events names events as everyone else does',
  async (fixture) => {
    const scene = fixture.scene(await fixture.open());
    const job = await scene.running({ correlationId: 'c-1' });
    const client = await fixture.connect();
    const { rows } = await client.query(
      `SELECT id, job_id, type, ts, actor, correlation_id, cause, payload, version
     FROM pawl.job_events ORDER BY version`,
    );
    assert.deepEqual(
      rows.map(({ id, type, ts, correlation_id: correlation }) => [
        id,
        type,
        Number(ts),
        correlation,
      ]),
      (await scene.events(job)).map((event) => [
        eventIdOf(job.id, event.version, 0),
        event.type,
        event.at,
        'c-1',
      ]),
    );
  },
);
