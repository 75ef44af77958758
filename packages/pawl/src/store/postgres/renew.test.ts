import assert from 'node:assert/strict';
import { onEveryServer } from '../../../../../test/support/postgres/store-fixture.ts';

await onEveryServer(
  'an owner renews a lease that ran out in an outage, if it shows the token of its claim',
  async (fixture) => {
    // By the server's own clock: it alone knows since when it is back.
    const store = await fixture.open({ clock: undefined });
    const scene = fixture.scene(store);
    const { id, tenant } = await scene.enqueue();
    const [claim] = await store.claim(scene.claimRequest({ owner: 'w1', max: 1 }));
    const { job, token } = claim!;
    const client = await fixture.connect();
    await client.query(`SET pawl.verb = 'on'`);
    const expireAt = async (when: string): Promise<void> => {
      await client.query(`UPDATE pawl.live SET lease_expiry = ${when} WHERE id = $1`, [id]);
    };
    const renew = async (more: object, shown: string | undefined = token): Promise<string> => {
      const held = { tenant, id, epoch: job.epoch, owner: 'w1' };
      const [outcome] = await store.renew([{ ...held, ...(shown && { token: shown }), ...more }]);
      return outcome!.kind;
    };
    for (const more of [{}, { progress: 10 }]) {
      await expireAt(`pg_postmaster_start_time() - interval '1 s'`);
      assert.equal(await renew(more, ''), 'lost', 'who shows no token may be another one');
      assert.equal(await renew(more, '1'), 'lost');
      assert.equal(await renew(more), 'renewed');
      assert.equal(await renew(more), 'renewed', 'and holds the lease again');
      await expireAt(`clock_timestamp() - interval '1 ms'`);
      assert.equal(await renew(more), 'lost', 'while the server is there a lease runs out as ever');
    }
    assert.equal((await store.read([{ tenant, id }]))[0]!.attempts, 1);
    const query = { tenant, id, after: null, limit: 100, notes: true };
    const { events } = await store.events(query);
    const said = events.map(({ payload }) => payload?.['afterOutage']);
    assert.deepEqual(said.slice(-4), [true, undefined, true, undefined], 'the notes say so');
  },
);
