import assert from 'node:assert/strict';
import type {
  FollowerChange,
  FollowerRecord,
  FollowerTaken,
  FollowerWish,
} from '../../../src/records/followers.ts';
import type { Cases, Scene } from './scene.ts';

const LEASE_MS = 1_000;

function nameOf(scene: Scene): string {
  return `follower-of-${scene.tenant}`;
}

function take(
  scene: Scene,
  owner: string,
  more: Partial<FollowerWish> = {},
): Promise<FollowerTaken> {
  const wish = { name: nameOf(scene), owner, leaseMs: LEASE_MS, tenant: null, start: null };
  return scene.records.followers.take({ ...wish, ...more });
}

function move(
  scene: Scene,
  [owner, from]: [owner: string, from: string | null],
  change: FollowerChange,
): Promise<FollowerRecord | null> {
  const name = nameOf(scene);
  return scene.records.followers.move({ name, owner, from, leaseMs: LEASE_MS, change });
}

async function stored(scene: Scene): Promise<FollowerRecord | undefined> {
  const all = await scene.records.followers.list();
  return all.find(({ name }) => name === nameOf(scene));
}

export const followerCases: Cases = {
  'a follower is made by its first owner, where that says, and keeps what it was made with': async (
    scene,
  ) => {
    const at = scene.clock.now();
    const { tenant } = scene;
    const record = {
      name: nameOf(scene),
      tenant,
      position: 'log.7',
      owner: 'a',
      leasedUntil: at + LEASE_MS,
      trouble: null,
      resets: 0,
      resetAt: null,
      createdAt: at,
      updatedAt: at,
    };
    const taken = await take(scene, 'a', { tenant, start: 'log.7' });
    assert.deepEqual(taken, { isTaken: true, record, at });
    scene.clock.advance(10);
    const again = await take(scene, 'a', { start: 'log.99' });
    const kept = { leasedUntil: at + 10 + LEASE_MS, updatedAt: at + 10 };
    assert.deepEqual(again.record, { ...record, ...kept });
    assert.deepEqual(await stored(scene), again.record);
  },

  'while one owner has a follower nobody else gets it, and afterwards the first who asks': async (
    scene,
  ) => {
    await take(scene, 'a');
    scene.clock.advance(LEASE_MS - 1);
    const refused = await take(scene, 'b');
    assert.deepEqual([refused.isTaken, refused.record.owner], [false, 'a']);
    scene.clock.advance(1);
    assert.equal((await take(scene, 'b')).isTaken, true);
    assert.equal((await take(scene, 'a')).isTaken, false);
  },

  'of many who ask at once one gets a follower': async (scene) => {
    const owners = Array.from({ length: 12 }, (_, index) => `o${index}`);
    const taken = await Promise.all(owners.map((owner) => take(scene, owner)));
    assert.equal(taken.filter(({ isTaken }) => isTaken).length, 1);
    const { owner } = (await stored(scene))!;
    assert.ok(taken.every(({ record }) => record.owner === owner));
  },

  'a follower is moved on by its owner alone, from where it stands, and is kept by that': async (
    scene,
  ) => {
    await take(scene, 'a');
    scene.clock.advance(400);
    const moved = await move(scene, ['a', null], { kind: 'advance', to: 'log.1' });
    assert.equal(moved!.position, 'log.1');
    assert.equal(moved!.leasedUntil, scene.clock.now() + LEASE_MS);
    const wrong = [
      await move(scene, ['b', 'log.1'], { kind: 'advance', to: 'log.2' }),
      await move(scene, ['a', null], { kind: 'advance', to: 'log.2' }),
      await move(scene, ['a', 'log.0'], { kind: 'release' }),
      await move(scene, ['b', 'log.1'], { kind: 'fail', to: null, error: 'x', retryInMs: 1 }),
    ];
    assert.deepEqual(wrong, [null, null, null, null]);
    assert.deepEqual(await stored(scene), moved);
  },

  'an owner that was away writes nothing once another has taken over': async (scene) => {
    await take(scene, 'a');
    scene.clock.advance(LEASE_MS);
    await take(scene, 'b');
    assert.equal(await move(scene, ['a', null], { kind: 'advance', to: 'log.1' }), null);
    assert.equal((await stored(scene))!.position, null);
  },

  'failures are counted at one place, and are over when it is passed': async (scene) => {
    await take(scene, 'a', { start: 'log.1' });
    const since = scene.clock.now();
    const fail = { kind: 'fail', to: 'log.1', error: 'no', retryInMs: 50 } as const;
    await move(scene, ['a', 'log.1'], fail);
    scene.clock.advance(50);
    const twice = await move(scene, ['a', 'log.1'], { ...fail, error: 'still no' });
    const retryAt = since + 100;
    assert.deepEqual(twice!.trouble, { failures: 2, error: 'still no', since, retryAt });
    assert.deepEqual(await stored(scene), twice);
    scene.clock.advance(5);
    const further = await move(scene, ['a', 'log.1'], { ...fail, to: 'log.2' });
    assert.deepEqual([further!.trouble!.failures, further!.trouble!.since], [1, scene.clock.now()]);
    const passed = await move(scene, ['a', 'log.2'], { kind: 'advance', to: 'log.3' });
    assert.equal(passed!.trouble, null);
    assert.deepEqual(await stored(scene), passed);
  },

  'a reset is counted, and a release lets anyone take a follower where it stands': async (
    scene,
  ) => {
    await take(scene, 'a', { start: 'old.9' });
    const reset = await move(scene, ['a', 'old.9'], { kind: 'reset', to: null });
    const resetAt = scene.clock.now();
    assert.deepEqual([reset!.position, reset!.resets, reset!.resetAt], [null, 1, resetAt]);
    const freed = await move(scene, ['a', null], { kind: 'release' });
    assert.deepEqual([freed!.owner, freed!.leasedUntil], [null, null]);
    assert.deepEqual(await stored(scene), freed);
    assert.equal((await take(scene, 'b')).record.position, null);
  },

  'followers are listed by name and forgotten when told to': async (scene) => {
    for (const letter of ['b', 'a']) await take(scene, 'o', { name: nameOf(scene) + letter });
    const names = async (): Promise<string[]> =>
      (await scene.records.followers.list())
        .map(({ name }) => name)
        .filter((name) => name.startsWith(nameOf(scene)));
    assert.deepEqual(await names(), [`${nameOf(scene)}a`, `${nameOf(scene)}b`]);
    assert.equal(await scene.records.followers.remove(`${nameOf(scene)}a`), true);
    assert.equal(await scene.records.followers.remove(`${nameOf(scene)}a`), false);
    assert.deepEqual(await names(), [`${nameOf(scene)}b`]);
    const gone = { name: `${nameOf(scene)}a`, owner: 'o', from: null, leaseMs: LEASE_MS };
    const change = { kind: 'advance', to: 'log.1' } as const;
    assert.equal(await scene.records.followers.move({ ...gone, change }), null);
  },
};
