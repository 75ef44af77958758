// A server that took over may give out a job once more that a worker still runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Claim } from 'pawl/internal/engine/claim';
import { jobThat, openWorkshop, settled, sourceWith } from '../support/workshop.ts';

test('[R7] a worker that is given a job which it still runs stops the older attempt first', async () => {
  const told: string[] = [];
  const tokens: (string | undefined)[] = [];
  const { promise: cleanedUp, resolve: cleanUp } = Promise.withResolvers<void>();
  let runs = 0;
  const shop = await openWorkshop([
    jobThat(async ({ signal }) => {
      const run = ++runs;
      told.push(`${run} begins`);
      if (run === 2) return 'second';
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      told.push('1 is told to stop');
      await cleanedUp;
      told.push('1 ends');
      return 'first';
    }),
  ]);
  const { id } = await shop.world.enqueue('job');
  let given: Claim | null = null;
  const source = sourceWith(shop.world.engine, {
    claim: (claim) => async (options) => {
      if (given !== null) return [{ ...given, token: 'of the server that took over' }];
      [given = null] = await claim(options);
      return [given!];
    },
    settle: (settle) => (ends) => {
      tokens.push(...ends.map(({ token }) => token));
      return settle(ends.map((end) => ({ ...end, token: given!.token })));
    },
  });
  const worker = shop.worker({ source, slots: 2 });
  await worker.poll();
  await settled();
  await worker.poll();
  await settled();
  assert.deepEqual(told, ['1 begins', '1 is told to stop']);
  cleanUp();
  await worker.idle();
  assert.deepEqual(told, ['1 begins', '1 is told to stop', '1 ends', '2 begins']);
  assert.deepEqual(tokens, ['of the server that took over'], 'the first has nothing to report');
  assert.equal((await shop.world.job(id)).result, '"second"');
});
