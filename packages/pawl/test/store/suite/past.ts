import assert from 'node:assert/strict';
import type { PastPlace } from '../../../src/store/past.ts';
import type { Cases, Scene } from './scene.ts';

const ERROR = { class: 'timeout', message: 'too slow' } as const;

/** Places as text, in an order of their own. */
function inOrder(places: readonly PastPlace[]): string[] {
  const lines = places.map(({ type, queue, state, count }) => `${type} ${queue} ${state} ${count}`);
  return lines.sort();
}

/** What stands where now, by the count of the present. */
async function present({ store, tenant }: Scene): Promise<string[]> {
  const counts = new Map<string, PastPlace>();
  for (const { type, queue, state, count } of await store.tally(tenant)) {
    const key = `${type} ${queue} ${state}`;
    counts.set(key, { type, queue, state, count: (counts.get(key)?.count ?? 0) + count });
  }
  return inOrder([...counts.values()]);
}

async function past({ store, tenant }: Scene, at: number): Promise<string[] | null> {
  const { places } = await store.past({ tenant, at });
  return places === null ? null : inOrder(places);
}

export const pastCases: Cases = {
  'where jobs stood is known of every moment, as it was counted then': async (scene) => {
    await scene.type('mail', 'document');
    const snapshots: { at: number; places: string[] }[] = [];
    const look = async (): Promise<void> => {
      snapshots.push({ at: scene.clock.now(), places: await present(scene) });
      scene.clock.advance(1_000);
    };
    await scene.enqueue({ submit: false });
    await scene.enqueue({ queue: 'slow' });
    await scene.store.insert(
      await Promise.all([1, 2, 3].map(() => scene.newJob({ type: 'mail', queue: 'slow' }))),
    );
    await look();
    const claimed = await scene.claim();
    await look();
    await scene.ask(claimed[0]!.job, { on: 'succeed' });
    await scene.ask(claimed[1]!.job, { on: 'release' });
    await look();
    await scene.enqueue();
    await scene.otherTenant().enqueue();
    await look();
    await scene.ask(await scene.read(claimed[2]!.job), { on: 'fail', error: ERROR });
    await look();
    assert.equal(new Set(snapshots.map(({ places }) => places.join())).size, snapshots.length);
    for (const { at, places } of snapshots) {
      assert.deepEqual(await past(scene, at), places);
      assert.deepEqual(await past(scene, at + 999), places, 'until the next move');
    }
  },

  'what is told of a job that has ended does not bring it back': async (scene) => {
    await scene.enqueue();
    const [claimed] = await scene.claim();
    const before = scene.clock.now();
    scene.clock.advance(1_000);
    await scene.ask(claimed!.job, { on: 'succeed' });
    scene.clock.advance(1_000);
    const ended = scene.clock.now();
    scene.clock.advance(1_000);
    await scene.store.erase({ tenant: scene.tenant, id: claimed!.job.id }, 'admin');
    assert.deepEqual(await past(scene, ended), []);
    assert.equal((await past(scene, before))!.length, 1);
  },

  'nothing is told of a moment before the log begins': async (scene) => {
    await scene.enqueue();
    const { since, places } = await scene.store.past({ tenant: scene.tenant, at: 1 });
    assert.ok(since !== null && since > 1);
    assert.equal(places, null);
  },
};
