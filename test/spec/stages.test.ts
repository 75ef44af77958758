// Declared stages hold for every worker: in this process, remote, and in any language.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiClient } from 'pawl/client';
import { RemoteSource } from 'pawl/internal/client/remote-source';
import type { Beat, Ownership } from 'pawl/internal/engine/owner';
import { openWorker } from 'pawl/internal/worker/open-worker';
import { inSqlite } from '../support/in-sqlite.ts';
import { jobThat, openWorkshop, runThrough } from '../support/workshop.ts';
import { openWorld, type World } from '../support/world.ts';
import { openApi } from './http-fixture.ts';
import { openStation } from './http-station.ts';

const stages = [
  { name: 'fetch', min: 0, max: 20 },
  { name: 'draw', min: 20, max: 80 },
] as const;

const definition = { lifecycle: 'task', stages } as const;

type Said = Omit<Partial<Beat>, keyof Ownership>;

/** Says one thing after the other and answers with the progress after each. */
async function progressAfter(world: World, said: readonly Said[]): Promise<number[]> {
  await world.enqueue('job');
  const claim = await world.claimOne('w1', 'job');
  const seen: number[] = [];
  for (const one of said) {
    const beat = await world.renew(claim, one);
    if (beat.kind === 'renewed') seen.push(beat.progress);
  }
  return seen;
}

describe('an owner of a type with stages', () => {
  const open = (): Promise<World> => openWorld({ store: inSqlite, types: { job: definition } });

  test('[T16] is refused a stage that the type does not declare, and nothing is written', async () => {
    const world = await open();
    await world.enqueue('job');
    const claim = await world.claimOne('w1', 'job');
    const before = [await world.job(claim.job), await world.events(claim.job, { notes: true })];
    const result = '1';
    for (const [said, pointer] of [
      [{ stage: 'paint' }, '/stage'],
      [{ stage: 'paint', checkpoint: '1' }, '/stage'],
      [{ stageResult: { name: 'paint', result } }, '/name'],
      [{ stageResult: { name: 'checkpoint:paint', result } }, '/name'],
    ] as const) {
      await assert.rejects(
        world.renew(claim, said),
        (error: { code: string; faults: object[] }) => {
          const message = 'the type "job" declares no stage "paint"; it has fetch, draw';
          assert.deepEqual(
            [error.code, error.faults],
            ['VALIDATION_ERROR', [{ pointer, message }]],
          );
          return true;
        },
      );
    }
    const after = [await world.job(claim.job), await world.events(claim.job, { notes: true })];
    assert.deepEqual(after, before);
    for (const name of ['draw', 'once:paint', 'checkpoint:draw']) {
      await world.renew(claim, { stageResult: { name, result } });
    }
  });

  test('[T16] of several beats in one call only the faulty one is refused', async () => {
    const world = await open();
    await Promise.all([world.enqueue('job'), world.enqueue('job')]);
    const claims = await world.claim('w1', 'job');
    const beats = claims.map(({ job }, index) => ({
      ref: job,
      owner: 'w1',
      epoch: job.epoch,
      stage: index === 0 ? 'paint' : 'draw',
    }));
    const results = await world.engine.renew(beats);
    assert.deepEqual(
      results.map(({ kind }) => kind),
      ['refused', 'renewed'],
    );
    assert.equal((await world.job(claims[1]!.job)).stage, 'draw');
  });

  test('[T16, R7] that has lost its job hears that first', async () => {
    const world = await open();
    await world.enqueue('job');
    const claim = await world.claimOne('w1', 'job');
    world.advance(claim.leaseMs);
    await world.sweep();
    await assert.rejects(world.renew(claim, { stage: 'paint' }), { code: 'LEASE_LOST' });
  });

  test('[T16] has its progress kept within the range of the stage that it is in', async () => {
    const world = await open();
    const seen = await progressAfter(world, [
      { stage: 'fetch', progress: 90 },
      { progress: 50 },
      { stage: 'draw' },
      { progress: 5 },
      { progress: 60 },
      { progress: 100 },
      { message: 'almost' },
    ]);
    assert.deepEqual(seen, [20, 20, 20, 20, 60, 80, 80]);
  });

  test('[T16] may use the stages that the type has by now, besides those of its policy', async () => {
    const world = await open();
    await world.enqueue('job');
    const claim = await world.claimOne('w1', 'job');
    const later = [...stages, { name: 'bind', min: 80, max: 95 }];
    await world.putType('job', { ...definition, stages: later.slice(1) });
    world.advance(1_000);
    await world.renew(claim, { stage: 'fetch' });
    const beat = await world.renew(claim, { stage: 'bind', progress: 99 });
    assert.equal(beat.kind === 'renewed' && beat.progress, 95);
  });

  test('a type without stages takes any, and any progress', async () => {
    const world = await openWorld({ store: inSqlite, types: { job: { lifecycle: 'task' } } });
    assert.deepEqual(await progressAfter(world, [{ stage: 'any', progress: 70 }]), [70]);
  });
});

describe('over HTTP', () => {
  test('[T16] an undeclared stage is 400 with its pointer, progress is kept in its range', async () => {
    const api = await openApi();
    await api.put('/v1/types/drawing', definition);
    const { url, held } = await api.claimed('drawing');
    for (const [verb, body, pointer] of [
      ['heartbeat', { stage: 'paint', progress: 10 }, '/stage'],
      ['stages/paint', { result: 1 }, '/name'],
    ] as const) {
      const { status, body: said } = await api.post(`${url}/${verb}`, { ...held, ...body });
      assert.deepEqual([status, said.code], [400, 'VALIDATION_ERROR']);
      assert.equal(said.errors[0].pointer, pointer);
    }
    const entered = await api.post(`${url}/heartbeat`, { ...held, stage: 'draw', progress: 99 });
    assert.deepEqual([entered.status, entered.body.progress], [200, 80]);
    await api.close();
  });

  test('[T16] a remote worker whose stage the server does not know fails its own attempt only', async () => {
    const { api, url } = await openStation();
    await api.put('/v1/types/job', { ...definition, stages: stages.slice(1) });
    const jobs = [
      jobThat(({ stage }) => stage('fetch', () => 1), { stages }),
      jobThat(({ stage }) => stage('draw', () => 2), { type: 'export' }),
    ];
    const { body: bad } = await api.post('/v1/jobs', { type: 'job' });
    const { body: good } = await api.post('/v1/jobs', { type: 'export' });
    const source = new RemoteSource({ connection: new ApiClient({ url }).connection });
    const worker = openWorker({ source, jobs, id: 'far', slots: 2 });
    await worker.poll();
    await worker.idle();
    const failed = (await api.get(`/v1/jobs/${bad.id}`)).body;
    assert.deepEqual([failed.state, failed.error.class], ['failed', 'configuration_error']);
    assert.match(failed.error.message, /declares no stage "fetch"/);
    assert.equal((await api.get(`/v1/jobs/${good.id}`)).body.state, 'succeeded');
  });
});

test('[T16] a handler that tells a percentage stays in the range of its stage as well', async () => {
  const shop = await openWorkshop([
    jobThat(
      async ({ stage, checkpoint, progress }) => {
        await stage('fetch', async () => {
          progress({ percent: 90 });
          await checkpoint(1);
        });
        throw new Error('stop here');
      },
      { stages },
    ),
  ]);
  assert.equal((await shop.world.job(await runThrough(shop))).progress, 20);
});
