// How records are found, and what comes back unchanged.
import assert from 'node:assert/strict';
import { RecordTooLargeError } from '../../../src/store/record-check.ts';
import { BODY_BYTES_MAX, type RecordQuery } from '../../../src/store/records.ts';
import { page, put, read, refused, write, written } from './records.ts';
import type { Cases, Scene } from './scene.ts';

async function listed(scene: Scene, more: Partial<RecordQuery> = {}): Promise<string[]> {
  const query = { kind: page, tenants: [scene.tenant], limit: 100, ...more };
  const { at, records } = await scene.store.records.list(query);
  assert.equal(at, scene.clock.now());
  return records.map(({ id }) => id);
}

/** Four records of two colours and shapes; the later ones are due earlier. */
async function furnish(scene: Scene): Promise<void> {
  const tagged = (colour: string, shape: string) => ({ colour, shape });
  await written(
    scene,
    put(scene, 'a', { tags: tagged('red', 'round'), dueAt: 40, jobId: 'job 1' }),
    put(scene, 'b', { tags: tagged('red', 'square'), dueAt: 30, jobId: 'job 2' }),
    put(scene, 'c', { tags: tagged('blue', 'round'), dueAt: 30, jobId: 'job 1' }),
    put(scene, 'd', { tags: { colour: 'blue' } }),
  );
}

const listCases: Cases = {
  'a list is of one kind and tenant, in the order of ids, from either end': async (scene) => {
    const other = scene.otherTenant();
    await furnish(scene);
    await written(other, put(other, 'foreign'));
    await written(scene, put(scene, 'other', { kind: { name: 'leaf' } }));
    assert.deepEqual(await listed(scene), ['a', 'b', 'c', 'd']);
    assert.deepEqual(await listed(scene, { order: 'descending', limit: 2 }), ['d', 'c']);
    assert.deepEqual(await listed(scene, { after: 'b' }), ['c', 'd']);
    assert.deepEqual(await listed(scene, { before: 'c', order: 'descending' }), ['b', 'a']);
    assert.deepEqual(await listed(scene, { after: 'a', before: 'd', limit: 1 }), ['b']);
    assert.deepEqual(await listed(scene, { limit: 0 }), []);
    assert.deepEqual(await listed(scene, { tenants: ['nobody at all'] }), []);
    assert.deepEqual(await listed(scene, { tenants: [] }), []);
  },

  'a list of several tenants is of all of them, by id': async (scene) => {
    const other = scene.otherTenant();
    await furnish(scene);
    await written(other, put(other, 'b'), put(other, 'aa'), put(other, 'e'));
    const tenants = [scene.tenant, other.tenant, scene.tenant];
    assert.deepEqual(await listed(scene, { tenants }), ['a', 'aa', 'b', 'b', 'c', 'd', 'e']);
    assert.deepEqual(await listed(scene, { tenants, limit: 3 }), ['a', 'aa', 'b']);
    const last = { tenants, limit: 3, order: 'descending' } as const;
    assert.deepEqual(await listed(scene, last), ['e', 'd', 'c']);
  },

  'tags that are given must all be equal': async (scene) => {
    await furnish(scene);
    assert.deepEqual(await listed(scene, { tags: { colour: 'red' } }), ['a', 'b']);
    assert.deepEqual(await listed(scene, { tags: { colour: 'red', shape: 'round' } }), ['a']);
    assert.deepEqual(await listed(scene, { tags: { shape: 'round' }, after: 'a' }), ['c']);
    assert.deepEqual(await listed(scene, { tags: { shape: '' } }), []);
    await written(scene, put(scene, 'a', { tags: { shape: 'square' } }));
    assert.deepEqual(await listed(scene, { tags: { colour: 'red' } }), ['b']);
  },

  'records of every tenant are found by a tag': async (scene) => {
    const colour = `unique ${scene.tenant}`;
    const other = scene.otherTenant();
    await written(scene, put(scene, 'x', { tags: { colour } }));
    await written(other, put(other, 'w', { tags: { colour } }));
    assert.deepEqual(await listed(scene, { tenants: null, tags: { colour } }), ['w', 'x']);
  },

  'records of a job are found by it': async (scene) => {
    await furnish(scene);
    assert.deepEqual(await listed(scene, { jobId: 'job 1' }), ['a', 'c']);
    assert.deepEqual(await listed(scene, { jobId: 'job 1', tags: { colour: 'blue' } }), ['c']);
    assert.deepEqual(await listed(scene, { jobId: 'job 3' }), []);
  },

  'what is due is found by the time, to the millisecond, the longest due first': async (scene) => {
    await furnish(scene);
    assert.deepEqual(await listed(scene, { order: 'due' }), ['b', 'c', 'a']);
    assert.deepEqual(await listed(scene, { order: 'due', due: { to: 39 } }), ['b', 'c']);
    assert.deepEqual(await listed(scene, { due: { from: 31, to: 40 } }), ['a']);
    assert.deepEqual(await listed(scene, { due: { from: 41 } }), []);
    await written(scene, put(scene, 'd', { dueInMs: 10 }));
    const now = { order: 'due', due: { from: 41, to: 'now' } } as const;
    scene.clock.advance(9);
    assert.deepEqual(await listed(scene, now), []);
    scene.clock.advance(1);
    assert.deepEqual(await listed(scene, now), ['d']);
  },

  'records are counted by the value of a tag': async (scene) => {
    const other = scene.otherTenant();
    await furnish(scene);
    await written(other, put(other, 'e', { tags: { colour: 'green' } }));
    const count = async (tenants: string[], tags: Record<string, string>, by: string) =>
      scene.store.records.count({ kind: page, tenants, tags }, by);
    const { tenant } = scene;
    assert.deepEqual(await count([tenant], {}, 'shape'), [
      { value: 'round', count: 2 },
      { value: 'square', count: 1 },
    ]);
    assert.deepEqual(await count([tenant, other.tenant], { colour: 'red' }, 'colour'), [
      { value: 'red', count: 2 },
    ]);
    assert.deepEqual(await count([], {}, 'colour'), []);
    const all = await scene.store.records.count({ kind: page, tenants: null }, 'colour');
    assert.ok(all.find(({ value }) => value === 'red')!.count >= 2);
  },
};

/** Texts that a careless store would not give back as they were. */
const HOSTILE = [
  '',
  "it's; -- \\ %s $1 ?1",
  '\u2028\t\n"',
  'Füße 😀',
  '{"$outcome":0}',
  '__proto__',
];

const exactnessCases: Cases = {
  'texts come back as they were': async (scene) => {
    for (const text of HOSTILE) {
      const body = ` {"n": 9007199254740993, "big": 1e400, "text": ${JSON.stringify(text)}}\n`;
      const { tenant } = scene;
      await written(
        scene,
        put(scene, text, { body, tags: { colour: text }, jobId: text, tenant }),
        put(scene, 'held', { lease: { owner: text, forMs: 1 } }),
      );
      const found = (await read(scene, text))!;
      assert.deepEqual([found.id, found.body, found.jobId], [text, body, text]);
      assert.deepEqual(found.tags, { colour: text });
      assert.deepEqual(await listed(scene, { tags: { colour: text } }), [text]);
      await written(scene, put(scene, 'held', { lease: null }));
    }
  },

  'ids are in the order of their bytes': async (scene) => {
    const ids = ['a', 'B', '\uFFFD', '😀', 'é', '-', 'aa'];
    await written(scene, ...ids.map((id) => put(scene, id)));
    const sorted = ids.toSorted((one, other) => Buffer.from(one).compare(Buffer.from(other)));
    assert.deepEqual(await listed(scene), sorted);
    assert.deepEqual(await listed(scene, { after: '\uFFFD' }), ['😀']);
  },

  'what no database keeps is refused by each before anything is written': async (scene) => {
    const faults = [
      put(scene, 'a\0'),
      put(scene, '\ud800'),
      put(scene, 'x'.repeat(513)),
      put(scene, 'x', { body: '"\ud800"' }),
      put(scene, 'x', { body: '{' }),
      put(scene, 'x', { body: '"a\0"' }),
      put(scene, 'x', { tags: { colour: 'a\0' } }),
      put(scene, 'x', { tags: { flavour: 'sweet' } }),
      put(scene, 'x', { dueAt: 1.5 }),
      put(scene, 'x', { kind: { name: 'No Kind' } }),
      put(scene, 'x', { kind: { name: 'many', tags: ['1', '2', '3', '4', '5'] } }),
    ];
    for (const fault of faults) {
      const asked = write(scene, put(scene, 'first'), fault);
      await assert.rejects(asked, { name: 'StoreError', outcome: 'refused' });
    }
    assert.deepEqual(await listed(scene), []);
  },

  'a body is bounded, by what its kind allows': async (scene) => {
    const body = JSON.stringify('é'.repeat(BODY_BYTES_MAX / 2 - 1));
    assert.equal(Buffer.byteLength(body), BODY_BYTES_MAX);
    await written(scene, put(scene, 'most', { body }));
    assert.equal((await read(scene, 'most'))!.body, body);
    const more = put(scene, 'more', { body: `${body} ` });
    await assert.rejects(write(scene, more), RecordTooLargeError);
    const kind = { name: 'large', bytesMax: BODY_BYTES_MAX + 1 };
    await written(scene, { ...more, kind });
    assert.equal((await refused(scene, { ...more, kind, expected: 'absent' })).reason, 'exists');
  },
};

export const recordListCases: Cases = { ...listCases, ...exactnessCases };
