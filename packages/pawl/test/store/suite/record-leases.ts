// Who may write a record: leases, fences, and many who write at once.
import assert from 'node:assert/strict';
import type { Job } from '../../../src/core/job.ts';
import type { FenceOp, PutOp, RecordOp } from '../../../src/store/records.ts';
import { put, read, refused, write, written } from './records.ts';
import type { Cases, Scene } from './scene.ts';

function lease(scene: Scene, owner: string, more: Partial<PutOp> = {}): PutOp {
  return put(scene, 'held', { lease: { owner, forMs: 100 }, body: `"${owner}"`, ...more });
}

const leaseCases: Cases = {
  'a lease is taken where nobody holds it, kept by its holder and refused to others': async (
    scene,
  ) => {
    await written(scene, lease(scene, 'a'));
    scene.clock.advance(60);
    await written(scene, lease(scene, 'a'));
    scene.clock.advance(60);
    const { reason, found } = await refused(scene, lease(scene, 'b'));
    assert.deepEqual([reason, found!.owner], ['leased', 'a']);
    assert.equal(found!.leasedUntil, scene.clock.now() + 40);
  },

  'a lease has run out from its very millisecond on': async (scene) => {
    await written(scene, lease(scene, 'a'));
    scene.clock.advance(99);
    assert.equal((await refused(scene, lease(scene, 'b'))).reason, 'leased');
    scene.clock.advance(1);
    await written(scene, lease(scene, 'b'));
    assert.equal((await refused(scene, lease(scene, 'a'))).reason, 'leased');
  },

  'a lease that is given up is free, and a put without one leaves it as it is': async (scene) => {
    await written(scene, lease(scene, 'a'));
    await written(scene, put(scene, 'held', { body: '"plain"' }));
    const kept = (await read(scene, 'held'))!;
    assert.deepEqual([kept.owner, kept.leasedUntil], ['a', scene.clock.now() + 100]);
    await written(scene, put(scene, 'held', { lease: null }));
    const free = (await read(scene, 'held'))!;
    assert.deepEqual([free.owner, free.leasedUntil], [null, null]);
    await written(scene, lease(scene, 'b'));
  },

  'a lease and an expected version must both be right': async (scene) => {
    await written(scene, lease(scene, 'a'));
    const expected = { version: 2 };
    assert.equal((await refused(scene, lease(scene, 'a', { expected }))).reason, 'version');
    const first = { version: 1 };
    assert.equal((await refused(scene, lease(scene, 'b', { expected: first }))).reason, 'leased');
    await written(scene, lease(scene, 'a', { expected: first }));
  },

  'of many who want a lease at once one gets it': async (scene) => {
    await written(scene, put(scene, 'held'));
    const owners = Array.from({ length: 12 }, (_, index) => `owner ${index}`);
    const outcomes = await Promise.all(owners.map((owner) => write(scene, lease(scene, owner))));
    const won = owners.filter((_, index) => outcomes[index]!.kind === 'written');
    assert.equal(won.length, 1);
    assert.equal((await read(scene, 'held'))!.owner, won[0]);
  },

  'of many who want a lease in the millisecond in which it runs out one gets it': async (scene) => {
    await written(scene, lease(scene, 'before'));
    scene.clock.advance(100);
    const owners = ['before', 'a', 'b', 'c', 'd', 'e'];
    const outcomes = await Promise.all(owners.map((owner) => write(scene, lease(scene, owner))));
    const won = outcomes.filter(({ kind }) => kind === 'written');
    assert.equal(won.length, 1);
  },
};

const raceCases: Cases = {
  'of many who change one version one does': async (scene) => {
    await written(scene, put(scene, 'one'));
    const bodies = Array.from({ length: 12 }, (_, index) => String(index));
    const outcomes = await Promise.all(
      bodies.map((body) => write(scene, put(scene, 'one', { body, expected: { version: 1 } }))),
    );
    const won = bodies.filter((_, index) => outcomes[index]!.kind === 'written');
    const { version, body } = (await read(scene, 'one'))!;
    assert.deepEqual([version, [body]], [2, won]);
  },

  'of many who make one record one does': async (scene) => {
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, () => write(scene, put(scene, 'new', { expected: 'absent' }))),
    );
    const reasons = outcomes.map((one) => (one.kind === 'refused' ? one.reason : one.kind));
    assert.deepEqual(reasons.toSorted(), [...Array<string>(11).fill('exists'), 'written']);
    assert.equal((await read(scene, 'new'))!.version, 1);
  },

  'whoever puts whatever is there puts after the others, and none is lost': async (scene) => {
    await Promise.all(Array.from({ length: 12 }, () => write(scene, put(scene, 'all'))));
    assert.equal((await read(scene, 'all'))!.version, 12);
  },

  'many who add to one record at once add up, and never above the bound': async (scene) => {
    const kind = { name: 'counter' };
    const add = (members: Record<string, number>): RecordOp => ({
      op: 'add',
      kind,
      tenant: scene.tenant,
      id: 'sum',
      members,
      max: { used: 30 },
    });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => write(scene, add({ used: 2 }), put(scene, 'note'))),
    );
    const count = outcomes.filter(({ kind: did }) => did === 'written').length;
    assert.equal(count, 15);
    assert.equal((await read(scene, 'sum', kind))!.body, '{"used":30}');
    assert.equal((await read(scene, 'note'))!.version, 15);
  },

  'writers of the same records in another order wait for each other, and all end': async (
    scene,
  ) => {
    const ids = ['a', 'b', 'c', 'd'];
    const outcomes = await Promise.all(
      Array.from({ length: 16 }, (_, index) => {
        const order = index % 2 === 0 ? ids : ids.toReversed();
        return write(scene, ...order.map((id) => put(scene, id)));
      }),
    );
    assert.ok(outcomes.every(({ kind }) => kind === 'written'));
    for (const id of ids) assert.equal((await read(scene, id))!.version, 16);
  },
};

function fence({ tenant, id, owner, epoch }: Job): FenceOp {
  return { op: 'fence', tenant, jobId: id, owner: owner!, epoch };
}

const fenceCases: Cases = {
  'a fence lets the owner of a job write, and nobody else': async (scene) => {
    const job = await scene.running();
    await written(scene, fence(job), put(scene, 'one'));
    const others = [
      { ...fence(job), owner: 'somebody' },
      { ...fence(job), epoch: job.epoch + 1 },
      { ...fence(job), jobId: scene.ids.next() },
      { ...fence(job), jobId: 'no job' },
      { ...fence(job), tenant: scene.otherTenant().tenant },
    ];
    for (const other of others) {
      const { reason, index } = await refused(scene, put(scene, 'two'), other);
      assert.deepEqual([reason, index], ['fenced', 1]);
    }
    assert.equal(await read(scene, 'two'), null);
  },

  'a fence closes in the millisecond of the deadline, and with the end of the job': async (
    scene,
  ) => {
    const late = await scene.running();
    scene.clock.advance(late.leaseExpiry! - scene.clock.now() - 1);
    await written(scene, fence(late), put(scene, 'one'));
    scene.clock.advance(1);
    assert.equal((await refused(scene, fence(late))).reason, 'fenced');
    const ended = await scene.running();
    await scene.ask(ended, { on: 'succeed' });
    assert.equal((await refused(scene, fence(ended))).reason, 'fenced');
  },

  'what an owner writes while its job ends comes before the end or not at all': async (scene) => {
    const jobs = [await scene.running(), await scene.running(), await scene.running()];
    await Promise.all(
      jobs.map(async (job) => {
        const [outcome, end] = await Promise.all([
          write(scene, fence(job), put(scene, job.id)),
          scene.apply(scene.move(job, { on: 'succeed' })),
        ]);
        assert.equal(end.kind, 'moved');
        const isThere = (await read(scene, job.id)) !== null;
        assert.equal(isThere, outcome.kind === 'written');
      }),
    );
    for (const job of jobs) {
      assert.equal((await refused(scene, fence(job), put(scene, job.id))).reason, 'fenced');
    }
  },
};

export const recordLeaseCases: Cases = { ...leaseCases, ...raceCases, ...fenceCases };
