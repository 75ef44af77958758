// How to test handlers: a world in memory, with a clock that moves only when told to. In your own
// project this is `import { openWorld } from 'pawl/testing'`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobFailed } from 'pawl';
import { openWorld } from 'pawl/testing';
import { awaitSurvey, badMap, outage, renderTiles, type TileServer } from './jobs.ts';

/** A tile server that remembers what was asked of it, and fails as it is told to. */
function tileServer(
  troubles: Record<number, Error> = {},
): TileServer & { readonly did: unknown[] } {
  const did: unknown[] = [];
  return {
    did,
    draw: async (tile) => {
      const trouble = troubles[tile];
      delete troubles[tile];
      if (trouble !== undefined) throw trouble;
      did.push(tile);
      return `tile ${tile}`;
    },
    publish: async (tiles) => void did.push(`published ${tiles.length}`),
    unpublish: async () => void did.push('unpublished'),
  };
}

test('a job runs to its end: state, result, progress, artifacts, log lines', async () => {
  const server = tileServer();
  const job = renderTiles(server);
  const world = await openWorld({ jobs: [job] });

  const rendering = await world.enqueue(job, { tiles: 2 });
  assert.deepEqual(await rendering.result(), { tiles: 2 });

  const { state, progress } = await rendering.snapshot();
  assert.deepEqual([state, progress], ['succeeded', 100]);
  const [index] = await rendering.artifacts();
  assert.deepEqual(JSON.parse(await index!.text()), ['tile 0', 'tile 1']);
  const lines = (await world.history(rendering)).filter(({ type }) => type === 'job_log');
  assert.deepEqual(
    lines.map(({ message }) => message),
    ['2 tiles, listed in index.json'],
  );
});

test('[P4, T36] after an outage it goes on where it broke off, when the backoff is over', async () => {
  const server = tileServer({ 2: outage });
  const job = renderTiles(server);
  const world = await openWorld({ jobs: [job] });

  const rendering = await world.enqueue(job, { tiles: 4 });
  await world.runUntilIdle(); // attempt 1 breaks at tile 2
  assert.deepEqual(server.did, [0, 1]);

  await world.clock.advance('1s'); // the backoff passes; nobody waits
  assert.deepEqual(await rendering.result(), { tiles: 4 }); // attempt 2

  assert.deepEqual(server.did, [0, 1, 2, 3, 'published 4']);
});

test('[P4, T31] after a crash of its worker another goes on; nothing is published twice', async () => {
  const reached = Promise.withResolvers<void>();
  const server = tileServer();
  const crashing: TileServer = {
    ...server,
    draw: async (tile) => {
      if (tile === 3 && !server.did.includes(3)) {
        server.did.push(3);
        reached.resolve();
        await new Promise(() => undefined);
      }
      return server.draw(tile);
    },
  };
  const job = renderTiles(crashing);
  const world = await openWorld({ jobs: [job] });

  const rendering = await world.enqueue(job, { tiles: 4 });
  await world.begin(); // comes back while the handler is at work
  await reached.promise; // it hangs in tile 3
  await world.crashWorker(); // kill -9: its lease runs out
  assert.equal((await rendering.snapshot()).state, 'pending');

  const { state, attempts } = await rendering.ended(); // another worker
  assert.deepEqual([state, attempts], ['succeeded', 2]);
  assert.deepEqual(server.did, [0, 1, 2, 3, 3, 'published 4']);
  await world.close();
});

test('[R13, T8] a soft cancel stops it at the next safe point', async () => {
  const halfWay = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const server = tileServer();
  const job = renderTiles({
    ...server,
    draw: async (tile) => {
      if (tile === 1) {
        halfWay.resolve();
        await goOn.promise;
      }
      return server.draw(tile);
    },
  });
  const world = await openWorld({ jobs: [job] });

  const rendering = await world.enqueue(job, { tiles: 4 });
  await world.begin();
  await halfWay.promise;
  await rendering.cancel({ reason: 'the customer changed their mind' });
  goOn.resolve();

  await assert.rejects(rendering.result(), { name: 'JobCancelled' });
  assert.deepEqual(server.did, [0, 1]);
  assert.deepEqual(await rendering.artifacts(), []);
});

test('[R33] a job that fails for good is undone, and is in the dead-letter queue', async () => {
  const server = tileServer();
  const job = renderTiles(server);
  const world = await openWorld({ jobs: [job] });
  world.stub(job, async (context) => {
    await job.run(context);
    throw badMap; // after everything was published
  });

  const rendering = await world.enqueue(job, { tiles: 1 });
  await assert.rejects(rendering.result(), (error: JobFailed) => {
    assert.equal(error.deadLetter?.reasonCode, 'parse_error');
    return error.state === 'failed';
  });
  assert.deepEqual(server.did, [0, 'published 1', 'unpublished']);
  assert.equal((await world.history(rendering)).at(-1)!.type, 'job_compensated');
});

test('a snooze costs no attempt: the job asks again each minute', async () => {
  let asked = 0;
  const survey = awaitSurvey(() => ++asked > 3);
  const world = await openWorld({ jobs: [survey] });

  const job = await world.enqueue(survey);
  for (let minute = 0; minute < 3; minute++) {
    await world.runUntilIdle();
    await world.clock.advance('1m');
  }

  const { state, attempts } = await job.ended();
  assert.deepEqual([state, attempts, asked], ['succeeded', 1, 4]);
});

test('a wrong input is refused, with the path of what is wrong', async () => {
  const job = renderTiles(tileServer());
  const world = await openWorld({ jobs: [job] });
  await assert.rejects(world.enqueue(job, { tiles: 0 }), (error: { faults: unknown[] }) => {
    assert.partialDeepStrictEqual(error.faults, [{ pointer: '/input/tiles' }]);
    return true;
  });
  // @ts-expect-error and one of another type does not even compile
  await assert.rejects(world.enqueue(job, { tiles: 'many' }), { code: 'VALIDATION_ERROR' });
});

test('the same seed gives the same world, to the last id', async () => {
  const run = async (seed: number): Promise<string> => {
    const job = renderTiles(tileServer({ 0: outage }));
    const world = await openWorld({ jobs: [job], seed });
    const rendering = await world.enqueue(job, { tiles: 1 });
    await world.runUntilIdle();
    await world.clock.advance('1s');
    const ended = await rendering.ended();
    const events = (await world.history(rendering)).map(({ id, type, at }) => [id, type, at]);
    return JSON.stringify([ended, events]);
  };
  assert.equal(await run(7), await run(7));
  assert.notEqual(await run(7), await run(8));
});
