// A job that is defined without an input takes none: whoever sends one hears so, at every door, and
// also from a process that has nothing but the type's stored definition.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aesCodec } from 'pawl/internal/codec/aes-codec';
import { newPayloadKey } from 'pawl/internal/codec/key-ring';
import { encodedSink } from 'pawl/internal/codec/wrap/enqueue';
import { encodedSource } from 'pawl/internal/codec/wrap/source';
import type { PawlError } from 'pawl/internal/core/errors';
import type { JobHandle } from 'pawl/internal/handle/job-handle';
import { defineJob, type JobDefinition, typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { PermanentError } from 'pawl/internal/handler/failure';
import { openPawl } from 'pawl/internal/pawl/open-pawl';
import { typed } from 'pawl/internal/handler/schema';
import { openWorld as openTestWorld } from 'pawl/testing';
import { inSqlite } from '../support/in-sqlite.ts';
import { openWorkshop } from '../support/workshop.ts';
import { openWorld, TENANT, type World } from '../support/world.ts';
import { openStation } from './http-station.ts';

const seen: unknown[] = [];
const tidy = defineJob('tidy', { run: ({ input }) => void seen.push(input) });
const CALLER = { tenant: TENANT, principal: null };
const INPUTS: readonly unknown[] = [{}, { a: 1 }, [], 'text', 0, false, { $artifact: 'x' }];

/** An engine that knows the type as it is stored, and no more. */
function openKnowing(): Promise<World> {
  return openWorld({ store: inSqlite, types: { tidy: typeDefinitionOf(tidy) } });
}

function isRefused(pointer: string) {
  return (error: PawlError): boolean => {
    assert.deepEqual([error.code, error.faults[0]?.pointer], ['VALIDATION_ERROR', pointer]);
    assert.match(error.message, /jobs of this type take no input/);
    return true;
  };
}

describe('an input that is sent to a job without one', () => {
  test('is refused by the engine, each item of a batch for itself', async () => {
    const world = await openKnowing();
    const requests = [...INPUTS, null, undefined].map((input) => ({ type: 'tidy', input }));
    const results = await world.engine.enqueue(requests, { caller: CALLER });
    for (const [index, result] of results.entries()) {
      if (index >= INPUTS.length) assert.equal(result.kind, 'created');
      else assert.ok(result.kind === 'refused' && isRefused('/input')(result.error));
    }
    await world.close();
  });

  test('is refused over HTTP, one by one and in a batch', async () => {
    const { api } = await openStation();
    assert.equal((await api.put('/v1/types/tidy', typeDefinitionOf(tidy))).status, 201);
    const refused = await api.post('/v1/jobs', { type: 'tidy', input: { a: 1 } });
    assert.deepEqual([refused.status, refused.body.errors[0].pointer], [400, '/input']);
    const { body } = await api.post('/v1/jobs/batch', {
      jobs: [{ type: 'tidy', input: {} }, { type: 'tidy', input: null }, { type: 'tidy' }],
    });
    const statuses = body.results.map(({ status }: { status: number }) => status);
    assert.deepEqual(statuses, [400, 202, 202]);
    assert.equal((await api.get('/v1/types/tidy')).body.inputSchema, false);
  });

  test('is told from one that is described, or that nobody describes, by the type', async () => {
    const { api } = await openStation();
    const shape = { type: 'object', properties: { zoom: { type: 'integer' } } };
    const body = { lifecycle: 'task', inputSchema: shape, fatal: ['BadAddress'] };
    assert.equal((await api.put('/v1/types/tiles', body)).status, 201);
    assert.deepEqual((await api.get('/v1/types/tiles')).body.inputSchema, shape);
    await api.put('/v1/types/any', { lifecycle: 'task' });
    assert.ok(!('inputSchema' in (await api.get('/v1/types/any')).body));
    assert.equal((await api.post('/v1/jobs', { type: 'any', input: { a: 1 } })).status, 202);
  });

  test('is refused by the library, where no compiler looks', async () => {
    const pawl = await openPawl({ database: ':memory:', jobs: [tidy] });
    const world = await openTestWorld({ jobs: [tidy] });
    for (const enqueue of [pawl.enqueue.bind(pawl), world.enqueue.bind(world)] as unknown as ((
      job: JobDefinition,
      ...rest: unknown[]
    ) => Promise<JobHandle>)[]) {
      for (const wrong of [[{ name: 'x' }], ['text'], [[]], [{ queue: 'q' }, { queue: 'q' }]]) {
        await assert.rejects(enqueue(tidy, ...wrong), isRefused('/input'), JSON.stringify(wrong));
      }
      const queueOf = async (job: JobHandle): Promise<string> => (await job.snapshot()).queue;
      assert.equal(await queueOf(await enqueue(tidy)), 'default');
      assert.equal(await queueOf(await enqueue(tidy, { queue: 'q' })), 'q');
      assert.equal(await queueOf(await enqueue(tidy, null, { queue: 'q' })), 'q');
    }
    await pawl.close();
    await world.close();
  });

  test('is refused by the client before it is sent', async () => {
    const { api, pawl } = await openStation();
    await api.put('/v1/types/tidy', typeDefinitionOf(tidy));
    const given = { name: 'x' } as { queue?: string };
    await assert.rejects(pawl.enqueue(tidy, given), isRefused('/input'));
    const [named, other] = [await pawl.enqueue(tidy, { queue: 'q' }), await pawl.enqueue(tidy)];
    assert.equal((await named.snapshot()).queue, 'q');
    assert.equal((await other.snapshot()).queue, 'default');
  });

  test('is refused by a schedule when it is put', async () => {
    const world = await openKnowing();
    const rule = { kind: 'interval', everyMs: 1_000 } as const;
    const { schedules } = world.engine;
    const named = { name: 'it', caller: CALLER };
    const wrong = { rule, job: { type: 'tidy', input: { a: 1 } } };
    await assert.rejects(schedules.put(named, wrong), isRefused('/job/input'));
    await schedules.put(named, { rule, job: { type: 'tidy' } });
    await world.close();
  });

  test('is refused by a schedule that was put when its type still took one', async () => {
    const world = await openWorld({ store: inSqlite, types: { tidy: { lifecycle: 'task' } } });
    const rule = { kind: 'interval', everyMs: 1_000 } as const;
    const { schedules } = world.engine;
    const job = { type: 'tidy', input: { a: 1 } };
    await schedules.put({ name: 'it', caller: CALLER }, { rule, job });
    await world.putType('tidy', typeDefinitionOf(tidy));
    world.advance(1_000);
    assert.equal(await world.engine.sweepSchedules(), 0);
    const [fire] = await schedules.history({ tenant: TENANT, name: 'it', limit: 1 });
    assert.match(fire!.reason ?? '', /VALIDATION_ERROR: \/input: must be left out/);
    await world.close();
  });

  test('is refused for the replay of a dead letter', async () => {
    const broken = defineJob('tidy', {
      dlq: 'failed',
      run: () => {
        throw new PermanentError('no');
      },
    });
    const shop = await openWorkshop([broken]);
    await shop.world.enqueue('tidy');
    await shop.runUntilIdle(shop.worker());
    const { engine } = shop.world;
    const [letter] = await engine.deadLetters({ tenant: TENANT, limit: 1 });
    const request = { deadLetterId: letter!.id, caller: CALLER };
    await assert.rejects(engine.replay({ ...request, input: { a: 1 } }), isRefused('/input'));
    assert.equal((await engine.replay(request)).kind, 'created');
  });
});

describe('a job without an input', () => {
  test('gives its handler undefined', async () => {
    seen.length = 0;
    const world = await openTestWorld({ jobs: [tidy] });
    await world.enqueue(tidy);
    await world.runUntilIdle();
    assert.deepEqual(seen, [undefined]);
    await world.close();
  });

  test('may be enqueued encrypted, since nobody but its worker can see that it is nothing', async () => {
    seen.length = 0;
    const shop = await openWorkshop([tidy]);
    const { engine } = shop.world;
    const codec = aesCodec({ keys: [newPayloadKey('k1')] });
    const sink = encodedSink(engine, codec, engine.ids);
    const requests = [{ type: 'tidy' }, { type: 'tidy', input: { a: 1 } }];
    const results = await sink.enqueue(requests, { caller: CALLER });
    await shop.runUntilIdle(shop.worker({ source: encodedSource(engine, codec) }));
    const ends = await Promise.all(
      results.map(async (result) => {
        assert.ok(result.kind === 'created');
        return shop.world.job(result.job);
      }),
    );
    assert.deepEqual(
      ends.map(({ state, error }) => [state, error?.class]),
      [
        ['succeeded', undefined],
        ['failed', 'ValidationError'],
      ],
    );
    assert.deepEqual(seen, [undefined]);
  });

  test('that another release gives an input takes one from then on', async () => {
    const world = await openKnowing();
    await assert.rejects(world.enqueue('tidy', { a: 1 }), isRefused('/input'));
    const next = defineJob('tidy', { input: typed<{ a: number }>(), run: () => null });
    await world.putType('tidy', typeDefinitionOf(next));
    await world.enqueue('tidy', { a: 1 });
    await world.close();
  });
});
