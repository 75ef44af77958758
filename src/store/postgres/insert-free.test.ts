import assert from 'node:assert/strict';
import { onEveryServer } from '../../../test/support/postgres/store-fixture.ts';

await onEveryServer(
  'jobs of one call that nothing can stand in the way of are one entry of the log',
  async (fixture) => {
    const store = await fixture.open();
    const scene = fixture.scene(store);
    const limits = { activePerDocument: false, runningPerKey: null, rate: null, adaptive: null };
    await scene.type('open', 'task', { limits });
    const entries = async (): Promise<number> =>
      (await (await fixture.connect()).query('SELECT FROM pawl.log')).rowCount!;
    for (const [index, options] of [{ isWhole: true }, {}].entries()) {
      const jobs = await Promise.all([1, 2, 3].map(() => scene.newJob({ type: 'open' })));
      const outcomes = await store.insert(jobs, options);
      assert.deepEqual(
        outcomes.map(({ kind }) => kind),
        ['created', 'created', 'created'],
      );
      assert.equal(await entries(), index + 1);
    }
  },
);

await onEveryServer('a taken id leaves nothing of a call that is whole', async (fixture) => {
  const store = await fixture.open();
  const scene = fixture.scene(store);
  const { id } = await scene.enqueue();
  const jobs = [await scene.newJob(), await scene.newJob({ id }), await scene.newJob()];
  const outcomes = await store.insert(jobs, { isWhole: true });
  assert.deepEqual(outcomes[1], { kind: 'exists', id });
  assert.deepEqual(await store.read([jobs[0]!, jobs[2]!]), [null, null]);
});
