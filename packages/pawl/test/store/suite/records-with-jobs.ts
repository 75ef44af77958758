// Records that are written with jobs, in one transaction.
import assert from 'node:assert/strict';
import { outcomeMark } from '../../../src/store/records.ts';
import { put, read, written } from './records.ts';
import type { Cases } from './scene.ts';

const insertCases: Cases = {
  'jobs and the records that go along are there together': async (scene) => {
    const jobs = [await scene.newJob(), await scene.newJob()];
    const answer = await scene.store.insert(jobs, { with: [put(scene, 'one'), put(scene, 'two')] });
    assert.equal(answer.kind, 'inserted');
    const at = scene.clock.now();
    const outcomes = answer.kind === 'inserted' ? answer.outcomes : [];
    assert.deepEqual(outcomes, [
      { kind: 'created', at },
      { kind: 'created', at },
    ]);
    for (const job of jobs) assert.equal((await scene.read(job)).version, jobs[0]!.places.length);
    assert.equal((await read(scene, 'two'))!.createdAt, at);
    assert.equal((await scene.claim()).length, 2);
  },

  'a record that is not as expected refuses the jobs too': async (scene) => {
    await written(scene, put(scene, 'slot'));
    const job = await scene.newJob();
    const ops = [put(scene, 'new'), put(scene, 'slot', { expected: { version: 2 } })];
    const answer = await scene.store.insert([job], { with: ops });
    assert.equal(answer.kind, 'refused');
    assert.deepEqual(answer.kind === 'refused' && [answer.index, answer.reason], [1, 'version']);
    assert.deepEqual(await scene.store.read([job]), [null]);
    assert.equal(await read(scene, 'new'), null);
  },

  'of many who fire one slot at once one makes its job': async (scene) => {
    await written(scene, put(scene, 'slot'));
    const jobs = await Promise.all(Array.from({ length: 8 }, () => scene.newJob()));
    const answers = await Promise.all(
      jobs.map((job) =>
        scene.store.insert([job], { with: [put(scene, 'slot', { expected: { version: 1 } })] }),
      ),
    );
    assert.equal(answers.filter(({ kind }) => kind === 'inserted').length, 1);
    const { jobs: made } = await scene.store.list({ tenant: scene.tenant, limit: 9 });
    assert.equal(made.length, 1);
  },

  'a body tells what became of the jobs, where it asks for it': async (scene) => {
    const first = await scene.enqueue();
    const jobs = [await scene.newJob(), await scene.newJob({ id: first.id })];
    const said = { text: '{"$outcome":0}', made: outcomeMark(0), found: outcomeMark(1) };
    const body = JSON.stringify(said);
    await scene.store.insert(jobs, { with: [put(scene, 'line', { body })] });
    assert.deepEqual(JSON.parse((await read(scene, 'line'))!.body), {
      text: '{"$outcome":0}',
      made: { kind: 'created' },
      found: { kind: 'exists', id: first.id },
    });
  },

  'a put for a job that was created is left out where it was not': async (scene) => {
    const first = await scene.enqueue();
    const jobs = [await scene.newJob(), await scene.newJob({ id: first.id })];
    const answer = await scene.store.insert(jobs, {
      with: [put(scene, 'new', { ifCreated: 0 }), put(scene, 'old', { ifCreated: 1 })],
    });
    assert.equal(answer.kind, 'inserted');
    assert.notEqual(await read(scene, 'new'), null);
    assert.equal(await read(scene, 'old'), null);
    await written(scene, put(scene, 'taken'));
    const taken = put(scene, 'taken', { ifCreated: 0, expected: 'absent' });
    const refused = await scene.store.insert([await scene.newJob({ id: first.id })], {
      with: [taken],
    });
    assert.equal(refused.kind, 'refused');
  },

  'what fails takes the records back too': async (scene) => {
    const job = await scene.newJob({ lifecycle: 'unheard of' });
    await assert.rejects(scene.store.insert([job], { with: [put(scene, 'one')] }));
    assert.equal(await read(scene, 'one'), null);
    const many = put(scene, 'one', { body: JSON.stringify(outcomeMark(5)) });
    const good = await scene.newJob();
    await assert.rejects(scene.store.insert([good], { with: [many] }), { outcome: 'refused' });
    assert.deepEqual(await scene.store.read([good]), [null]);
  },
};

const applyCases: Cases = {
  'a record that goes along is written if the move is made': async (scene) => {
    const jobs = [await scene.running(), await scene.running()];
    const [good, late] = jobs.map((job) =>
      scene.move(job, { on: 'succeed' }, { with: [put(scene, job.id)] }),
    );
    const outcomes = await scene.store.apply([good!, { ...late!, epoch: 9 }]);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['moved', 'missed'],
    );
    assert.notEqual(await read(scene, good!.id), null);
    assert.equal(await read(scene, late!.id), null);
  },

  'a move is missed where a record that goes along is not as expected': async (scene) => {
    const job = await scene.running();
    await written(scene, put(scene, 'one', { body: '1' }));
    const ops = [put(scene, 'two'), put(scene, 'one', { expected: 'absent', body: '2' })];
    const move = scene.move(job, { on: 'succeed' }, { with: ops });
    assert.deepEqual(await scene.apply(move), { kind: 'missed' });
    assert.equal((await scene.read(job)).version, job.version);
    assert.equal((await read(scene, 'one'))!.body, '1');
    assert.equal(await read(scene, 'two'), null);
  },

  'moves of one call see the records of those before them that were made': async (scene) => {
    const jobs = [await scene.running(), await scene.running(), await scene.running()];
    const moves = jobs.map((job, index) =>
      scene.move(
        job,
        { on: 'succeed' },
        {
          with: [put(scene, 'one', { expected: 'absent', body: String(index) })],
          ...(index === 0 ? { epoch: 9 } : {}),
        },
      ),
    );
    const outcomes = await scene.store.apply(moves);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['missed', 'moved', 'missed'],
    );
    assert.equal((await read(scene, 'one'))!.body, '1');
  },
};

export const recordWithJobCases: Cases = { ...insertCases, ...applyCases };
