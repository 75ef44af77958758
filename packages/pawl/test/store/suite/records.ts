// The records half of the port: what is kept, under which conditions it is written.
import assert from 'node:assert/strict';
import type { JsonText } from '../../../src/core/job.ts';
import type {
  PutOp,
  RecordKey,
  RecordKind,
  RecordOp,
  Refusal,
  StoredRecord,
  WriteOutcome,
} from '../../../src/store/records.ts';
import type { Cases, Scene } from './scene.ts';

export const page: RecordKind = { name: 'page', tags: ['colour', 'shape', 'size', 'state'] };
const counter: RecordKind = { name: 'counter' };

export function put(scene: Scene, id: string, more: Partial<PutOp> = {}): PutOp {
  return { op: 'put', kind: page, tenant: scene.tenant, id, body: '{}', ...more };
}

export async function write(scene: Scene, ...ops: readonly RecordOp[]): Promise<WriteOutcome> {
  return scene.store.records.write(ops);
}

export async function written(scene: Scene, ...ops: readonly RecordOp[]): Promise<void> {
  assert.equal((await write(scene, ...ops)).kind, 'written');
}

export async function refused(scene: Scene, ...ops: readonly RecordOp[]): Promise<Refusal> {
  const outcome = await write(scene, ...ops);
  assert.equal(outcome.kind, 'refused');
  return outcome;
}

export async function read(
  scene: Scene,
  id: string,
  kind: RecordKind = page,
): Promise<StoredRecord | null> {
  const { records } = await scene.store.records.read([{ kind, tenant: scene.tenant, id }]);
  return records[0]!;
}

async function bodyOf(scene: Scene, id: string, kind?: RecordKind): Promise<JsonText | undefined> {
  return (await read(scene, id, kind))?.body;
}

function keyOf(scene: Scene, id: string, kind: RecordKind = page): RecordKey {
  return { kind, tenant: scene.tenant, id };
}

const putCases: Cases = {
  'a record is kept as given, with the times of the database': async (scene) => {
    const jobId = scene.ids.next();
    const tags = { colour: 'red', size: '' };
    await written(scene, put(scene, 'one', { body: '{"a": 1}', tags, dueAt: 7, jobId }));
    const now = scene.clock.now();
    const { at, records } = await scene.store.records.read([
      keyOf(scene, 'one'),
      keyOf(scene, 'two'),
    ]);
    assert.equal(at, now);
    assert.deepEqual(records, [
      {
        kind: 'page',
        tenant: scene.tenant,
        id: 'one',
        version: 1,
        body: '{"a": 1}',
        tags,
        dueAt: 7,
        jobId,
        owner: null,
        leasedUntil: null,
        createdAt: now,
        updatedAt: now,
      },
      null,
    ]);
    const empty = await scene.store.records.read([]);
    assert.deepEqual(empty, { at: now, records: [] });
  },

  'a put replaces all but the birth, and each write counts one version on': async (scene) => {
    const tags = { colour: 'red' };
    await written(scene, put(scene, 'one', { tags, dueAt: 7, jobId: 'j' }));
    const born = scene.clock.now();
    scene.clock.advance(5);
    const outcome = await write(scene, put(scene, 'one', { body: '[]', dueInMs: 10 }));
    const at = scene.clock.now();
    assert.deepEqual(outcome, { kind: 'written', at, versions: [2] });
    const after = await read(scene, 'one');
    assert.deepEqual([after!.createdAt, after!.updatedAt, after!.dueAt], [born, at, at + 10]);
    assert.deepEqual([after!.version, after!.body, after!.tags, after!.jobId], [2, '[]', {}, null]);
  },

  'kinds and tenants have names of their own': async (scene) => {
    const other = scene.otherTenant();
    await written(scene, put(scene, 'one'), put(other, 'one', { body: '1' }));
    await written(scene, put(scene, 'one', { kind: { name: 'leaf' }, body: '2' }));
    await written(scene, put(scene, 'one', { tenant: '', body: '3', kind: { name: 'leaf' } }));
    assert.equal(await bodyOf(scene, 'one'), '{}');
    assert.equal(await bodyOf(other, 'one'), '1');
    assert.equal(await bodyOf(scene, 'one', { name: 'leaf' }), '2');
  },

  'a write of several ops is all or nothing, and names the one that was refused': async (scene) => {
    await written(scene, put(scene, 'there', { body: '"before"' }));
    const found = await read(scene, 'there');
    const ops = [
      put(scene, 'new'),
      { op: 'remove', ...keyOf(scene, 'there') } as const,
      put(scene, 'other', { expected: { version: 1 } }),
    ];
    const at = scene.clock.now();
    assert.deepEqual(await refused(scene, ...ops), {
      kind: 'refused',
      at,
      index: 2,
      reason: 'missing',
      found: null,
    });
    assert.deepEqual([await read(scene, 'new'), await read(scene, 'there')], [null, found]);
  },

  'each op sees what those before it have written': async (scene) => {
    const outcome = await write(
      scene,
      put(scene, 'one', { expected: 'absent', body: '1' }),
      put(scene, 'one', { expected: { version: 1 }, body: '2' }),
      { op: 'remove', ...keyOf(scene, 'one'), expected: { version: 2 } },
      put(scene, 'one', { expected: 'absent', body: '3' }),
    );
    assert.equal(outcome.kind, 'written');
    assert.deepEqual(outcome.kind === 'written' && outcome.versions, [1, 2, null, 1]);
    assert.equal(await bodyOf(scene, 'one'), '3');
  },
};

const conditionCases: Cases = {
  'what was to be absent and is there refuses, and shows what is there': async (scene) => {
    await written(scene, put(scene, 'one', { expected: 'absent', body: '1' }));
    const { reason, found } = await refused(
      scene,
      put(scene, 'one', { expected: 'absent', body: '2' }),
    );
    assert.deepEqual([reason, found], ['exists', await read(scene, 'one')]);
    assert.equal(found!.body, '1');
  },

  'another version than the expected one refuses, and so does none at all': async (scene) => {
    await written(scene, put(scene, 'one'));
    await written(scene, put(scene, 'one', { expected: { version: 1 } }));
    for (const version of [1, 3]) {
      const { reason } = await refused(scene, put(scene, 'one', { expected: { version } }));
      assert.equal(reason, 'version');
    }
    const expected = { version: 1 };
    assert.equal((await refused(scene, put(scene, 'two', { expected }))).reason, 'missing');
    const remove = { op: 'remove', ...keyOf(scene, 'one'), expected } as const;
    assert.equal((await refused(scene, remove)).reason, 'version');
  },

  'a record that was removed and made again is not the one that was read': async (scene) => {
    await written(scene, put(scene, 'one'));
    const { version, createdAt } = (await read(scene, 'one'))!;
    scene.clock.advance(1);
    await written(scene, { op: 'remove', ...keyOf(scene, 'one') }, put(scene, 'one'));
    const { reason } = await refused(
      scene,
      put(scene, 'one', { expected: { version, createdAt } }),
    );
    assert.equal(reason, 'version');
    const again = (await read(scene, 'one'))!;
    assert.deepEqual([again.version, again.createdAt], [1, scene.clock.now()]);
    await written(scene, put(scene, 'one', { expected: again }));
  },

  'what is not there can be removed, unless it was expected': async (scene) => {
    await written(scene, { op: 'remove', ...keyOf(scene, 'none') });
    const remove = { op: 'remove', ...keyOf(scene, 'none'), expected: { version: 1 } } as const;
    assert.equal((await refused(scene, remove)).reason, 'missing');
    await written(scene, put(scene, 'one'));
    await written(scene, { op: 'remove', ...keyOf(scene, 'one'), expected: { version: 1 } });
    assert.equal(await read(scene, 'one'), null);
  },

  'a write that is repeated after a lost answer finds its own version': async (scene) => {
    await written(scene, put(scene, 'one'));
    const again = put(scene, 'one', { expected: { version: 1 }, body: '"mine"' });
    await written(scene, again);
    const { reason, found } = await refused(scene, again);
    assert.deepEqual([reason, found!.version, found!.body], ['version', 2, '"mine"']);
  },
};

const addCases: Cases = {
  'numbers are added to members, and a record is made for the first': async (scene) => {
    const add = (members: Record<string, number>): RecordOp => ({
      op: 'add',
      ...keyOf(scene, 'sum', counter),
      members,
      dueAt: 9,
    });
    await written(scene, add({ a: 2 }));
    scene.clock.advance(3);
    await written(scene, add({ a: -5, constructor: 1 }), add({ constructor: 1, b: 0 }));
    const record = (await read(scene, 'sum', counter))!;
    assert.equal(record.body, '{"a":-3,"constructor":2,"b":0}');
    assert.deepEqual([record.version, record.dueAt], [3, 9]);
    assert.equal(record.updatedAt - record.createdAt, 3);
  },

  'a sum above its bound is refused, and shows what is used': async (scene) => {
    const add = (bytes: number): RecordOp => ({
      op: 'add',
      ...keyOf(scene, 'quota', counter),
      members: { bytes, files: 1 },
      max: { bytes: 10 },
    });
    assert.equal((await refused(scene, add(11))).reason, 'full');
    assert.equal(await read(scene, 'quota', counter), null);
    await written(scene, add(10));
    const { reason, found } = await refused(scene, put(scene, 'file'), add(1));
    assert.deepEqual([reason, found!.body], ['full', '{"bytes":10,"files":1}']);
    assert.equal(await read(scene, 'file'), null);
    await written(scene, add(-4), add(4));
  },

  'nothing is added to what is no object of whole numbers': async (scene) => {
    for (const body of ['[]', '1', '{"a":"1"}', '{"a":1.5}', '{"a":9007199254740993}']) {
      await written(scene, put(scene, 'text', { kind: counter, body }));
      const add = { op: 'add', ...keyOf(scene, 'text', counter), members: { a: 1 } } as const;
      await assert.rejects(write(scene, add), { outcome: 'refused' });
      assert.equal(await bodyOf(scene, 'text', counter), body);
    }
  },
};

export const recordCases: Cases = { ...putCases, ...conditionCases, ...addCases };
