import assert from 'node:assert/strict';
import type { AccessKey, AccessKeyWrite, NewAccessKey } from '../../../src/records/access-keys.ts';
import type { RecordPage } from '../../../src/records/record-page.ts';
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
  return scene.records.accessKeys.write({ add: null, end: null, audit: [], ...change });
}

async function found(scene: Scene, id: string): Promise<AccessKey[]> {
  const key = await scene.records.accessKeys.find(id);
  return key === null ? [] : [key];
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
    assert.deepEqual(await found(scene, key.id), [
      {
        ...rest,
        createdAt: now,
        expiresAt: now + ttlMs!,
        revokedAt: null,
        replacedBy: null,
        usedAt: null,
      },
    ]);
    assert.deepEqual(await found(scene, 'nobody'), []);
  },

  'the keys of a tenant, and of no other, are listed by id, page by page': async (scene) => {
    const other = scene.otherTenant();
    const keys = [newKey(scene), newKey(scene), newKey(scene)];
    for (const key of keys) await write(scene, { add: key });
    await write(other, { add: newKey(other) });
    const listed = async (page: RecordPage): Promise<string[]> =>
      (await scene.records.accessKeys.list(scene.tenant, page)).map(({ id }) => id);
    const [one, two, three] = keys.map(({ id }) => id).toSorted() as [string, string, string];
    assert.deepEqual(await listed({ limit: 2 }), [one, two]);
    assert.deepEqual(await listed({ after: two, limit: 2 }), [three]);
    assert.deepEqual(await scene.records.accessKeys.list('nobody at all', { limit: 2 }), []);
  },

  'an id is given once, and a refused write leaves no entry': async (scene) => {
    const key = newKey(scene);
    await write(scene, { add: key, audit: [entry(scene, key.id)] });
    const again = await write(scene, {
      add: { ...key, name: 'other' },
      audit: [entry(scene, 'again')],
    });
    assert.equal(again, 'exists');
    assert.equal((await found(scene, key.id))[0]!.name, key.name);
    const trail = await scene.records.audit.list({ tenant: scene.tenant, limit: 9 });
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
    const [late] = await found(scene, key.id);
    assert.deepEqual(
      [late!.expiresAt, late!.revokedAt, late!.replacedBy],
      [now + 5_000, null, 'next'],
    );
    await write(scene, { end: { ...end, inMs: 0, replacedBy: null } });
    scene.clock.advance(10);
    await write(scene, { end: { ...end, inMs: 0, replacedBy: null } });
    const [gone] = await found(scene, key.id);
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
    assert.deepEqual(await found(scene, add.id), []);
    assert.equal((await found(scene, foreign.id))[0]!.revokedAt, null);
    assert.deepEqual(await scene.records.audit.list({ tenant: scene.tenant, limit: 9 }), []);
  },

  'an id that another tenant has is taken': async (scene) => {
    const other = scene.otherTenant();
    const key = newKey(scene);
    await write(scene, { add: key });
    const taken = { add: { ...key, tenant: other.tenant }, audit: [entry(other, key.id)] };
    assert.equal(await write(other, taken), 'exists');
    assert.deepEqual(await scene.records.accessKeys.list(other.tenant, { limit: 9 }), []);
    assert.equal((await found(scene, key.id))[0]!.tenant, scene.tenant);
  },

  'of many who end a key all do, and its first end counts': async (scene) => {
    const key = newKey(scene);
    await write(scene, { add: key });
    const ends = Array.from({ length: 8 }, (_, index) =>
      write(scene, {
        end: { tenant: scene.tenant, id: key.id, inMs: 100 + index, replacedBy: null },
        audit: [entry(scene, key.id)],
      }),
    );
    assert.deepEqual(await Promise.all(ends), Array<string>(8).fill('written'));
    assert.equal((await found(scene, key.id))[0]!.expiresAt, scene.clock.now() + 100);
    assert.equal((await scene.records.audit.list({ tenant: scene.tenant, limit: 9 })).length, 8);
  },

  'an entry of the audit log is never changed': async (scene) => {
    const first = entry(scene, 'a');
    await scene.records.audit.add([first]);
    await assert.rejects(scene.records.audit.add([{ ...first, subject: 'b' }]));
    const { tenant, id } = first;
    const change = { op: 'put', kind: { name: 'audit' }, tenant, id, body: '{}' } as const;
    await assert.rejects(scene.store.records.write([change]), /never changed/);
    assert.equal((await scene.records.audit.list({ tenant, limit: 9 }))[0]!.subject, 'a');
  },

  'the last use of a key is remembered': async (scene) => {
    const key = newKey(scene);
    await write(scene, { add: key });
    scene.clock.advance(70);
    await scene.records.accessKeys.touch([key, { ...key, id: 'nobody' }]);
    const [used] = await found(scene, key.id);
    assert.equal(used!.usedAt, scene.clock.now());
  },

  'the audit log is read newest first, in pages, by its own tenant': async (scene) => {
    const other = scene.otherTenant();
    const entries = ['a', 'b', 'c'].map((subject) => {
      scene.clock.advance(1);
      return entry(scene, subject);
    });
    await scene.records.audit.add(entries);
    await other.records.audit.add([entry(other, 'foreign')]);
    const { tenant } = scene;
    const first = await scene.records.audit.list({ tenant, limit: 2 });
    assert.deepEqual(first[0], { ...entries[2], at: scene.clock.now() });
    const before = first.at(-1)!.id;
    const rest = await scene.records.audit.list({ tenant, limit: 2, before });
    const subjects = [...first, ...rest].map(({ subject }) => subject);
    assert.deepEqual(subjects, ['c', 'b', 'a']);
  },
};
