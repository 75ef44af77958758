import assert from 'node:assert/strict';
import type { AccessKeyWrite, NewAccessKey } from '../../../src/store/access-key.ts';
import type { Cases, Scene } from './scene.ts';

let keys = 0;

function newKey(scene: Scene, more: Partial<NewAccessKey> = {}): NewAccessKey {
  return {
    id: `key${++keys}`,
    tenant: scene.tenant,
    name: 'deploy bot',
    hash: 'ab'.repeat(32),
    roles: ['producer'],
    scopes: null,
    queues: null,
    createdBy: 'api:root',
    ttlMs: null,
    ...more,
  };
}

function write(scene: Scene, change: Partial<AccessKeyWrite>): Promise<string> {
  return scene.store.access.writeAccessKey({ add: null, end: null, audit: [], ...change });
}

function entry(scene: Scene, subject: string) {
  const id = scene.ids.next();
  const details = '{"roles":["viewer"]}';
  return { tenant: scene.tenant, id, actor: 'api:root', action: 'key.created', subject, details };
}

export const accessCases: Cases = {
  'a key is kept as given and found by its id alone': async (scene) => {
    const key = newKey(scene, { scopes: ['jobs:read'], queues: ['a', 'b'], ttlMs: 1_000 });
    assert.equal(await write(scene, { add: key }), 'written');
    const { ttlMs, ...rest } = key;
    const now = scene.clock.now();
    assert.deepEqual(await scene.store.access.accessKeys({ id: key.id }), [
      {
        ...rest,
        createdAt: now,
        expiresAt: now + ttlMs!,
        revokedAt: null,
        replacedBy: null,
        usedAt: null,
      },
    ]);
    assert.deepEqual(await scene.store.access.accessKeys({ id: 'nobody' }), []);
  },

  'the keys of a tenant are listed in the order of their making, and of no other': async (
    scene,
  ) => {
    const other = scene.otherTenant();
    const [one, two] = [newKey(scene), newKey(scene)];
    await write(scene, { add: one });
    await write(other, { add: newKey(other) });
    await write(scene, { add: two });
    const found = await scene.store.access.accessKeys({ tenant: scene.tenant });
    assert.deepEqual(
      found.map(({ id }) => id),
      [one.id, two.id],
    );
    assert.deepEqual(await scene.store.access.accessKeys({ tenant: 'nobody at all' }), []);
  },

  'an id is given once, and a refused write leaves no entry': async (scene) => {
    const key = newKey(scene);
    await write(scene, { add: key, audit: [entry(scene, key.id)] });
    const again = await write(scene, {
      add: { ...key, name: 'other' },
      audit: [entry(scene, 'again')],
    });
    assert.equal(again, 'exists');
    assert.equal((await scene.store.access.accessKeys({ id: key.id }))[0]!.name, key.name);
    const trail = await scene.store.access.audit({ tenant: scene.tenant, limit: 9 });
    assert.deepEqual(
      trail.map(({ subject }) => subject),
      [key.id],
    );
  },

  'a key that ends later keeps its earlier end, and one that ends at once is revoked': async (
    scene,
  ) => {
    const key = newKey(scene, { ttlMs: 5_000 });
    await write(scene, { add: key });
    const end = { tenant: scene.tenant, id: key.id, inMs: 9_000, replacedBy: 'next' };
    assert.equal(await write(scene, { end }), 'written');
    const now = scene.clock.now();
    const [late] = await scene.store.access.accessKeys({ id: key.id });
    assert.deepEqual(
      [late!.expiresAt, late!.revokedAt, late!.replacedBy],
      [now + 5_000, null, 'next'],
    );
    await write(scene, { end: { ...end, inMs: 0, replacedBy: null } });
    scene.clock.advance(10);
    await write(scene, { end: { ...end, inMs: 0, replacedBy: null } });
    const [gone] = await scene.store.access.accessKeys({ id: key.id });
    assert.deepEqual([gone!.expiresAt, gone!.revokedAt, gone!.replacedBy], [now, now, 'next']);
  },

  'a rotation is one transaction: no new key where the old one is not there': async (scene) => {
    const other = scene.otherTenant();
    const foreign = newKey(other);
    await write(other, { add: foreign });
    const add = newKey(scene);
    for (const id of ['nobody', foreign.id]) {
      const end = { tenant: scene.tenant, id, inMs: 0, replacedBy: add.id };
      assert.equal(await write(scene, { add, end, audit: [entry(scene, id)] }), 'missing');
    }
    assert.deepEqual(await scene.store.access.accessKeys({ id: add.id }), []);
    assert.equal((await scene.store.access.accessKeys({ id: foreign.id }))[0]!.revokedAt, null);
    assert.deepEqual(await scene.store.access.audit({ tenant: scene.tenant, limit: 9 }), []);
  },

  'the last use of a key is remembered': async (scene) => {
    const key = newKey(scene);
    await write(scene, { add: key });
    scene.clock.advance(70);
    await scene.store.access.touchAccessKeys([key.id, 'nobody']);
    const [used] = await scene.store.access.accessKeys({ id: key.id });
    assert.equal(used!.usedAt, scene.clock.now());
  },

  'the audit log is read newest first, in pages, by its own tenant': async (scene) => {
    const other = scene.otherTenant();
    const entries = ['a', 'b', 'c'].map((subject) => {
      scene.clock.advance(1);
      return entry(scene, subject);
    });
    await scene.store.access.addAudit(entries);
    await other.store.access.addAudit([entry(other, 'foreign')]);
    const { tenant } = scene;
    const first = await scene.store.access.audit({ tenant, limit: 2 });
    assert.deepEqual(first[0], { ...entries[2], at: scene.clock.now() });
    const before = first.at(-1)!.id;
    const rest = await scene.store.access.audit({ tenant, limit: 2, before });
    const subjects = [...first, ...rest].map(({ subject }) => subject);
    assert.deepEqual(subjects, ['c', 'b', 'a']);
  },
};
