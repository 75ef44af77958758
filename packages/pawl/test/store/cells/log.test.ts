import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NewJob } from '../../../src/store/insert.ts';
import { cellOf, followed, idsOf, Site } from './fixture.ts';

describe('one log out of several', () => {
  test('everything comes once, by pages of any size, and each job in its order', async () => {
    const site = new Site();
    const store = await site.open('one', 'two', 'three');
    const jobs: NewJob[] = [];
    for (let round = 0; round < 7; round++) {
      for (const tenant of ['a', 'b', 'c']) {
        jobs.push(...(await site.insert(store, tenant, 1 + (round % 3))));
        site.clock.advance(5);
      }
    }
    const { items, cursor } = await followed(store, 'start');
    const wanted = jobs.map(({ id }) => `${id} v1`);
    assert.deepEqual(idsOf(items).toSorted(), wanted.toSorted());
    const times = items.map(({ event }) => event.at);
    assert.deepEqual(
      times,
      times.toSorted((one, other) => one - other),
      'the older one first',
    );
    for (const [index, item] of items.entries()) {
      const rest = await followed(store, { cursor: item.cursor });
      assert.deepEqual(idsOf(rest.items), idsOf(items.slice(index + 1)), `behind item ${index}`);
    }
    assert.deepEqual((await followed(store, { cursor })).items, []);
  });

  test('a cursor of the time when there was one database goes on in the first cell', async () => {
    const site = new Site();
    await site.insert(site.store('one'), 'a');
    const { cursor } = await followed(site.store('one'), 'start');
    const store = await site.open('one', 'two');
    const [later] = await site.insert(store, 'a');
    const [other] = await site.insert(store, 'b');
    const { items } = await followed(store, { cursor });
    assert.deepEqual(
      new Set(items.map(({ event }) => event.jobId)),
      new Set([later!.id, other!.id]),
    );
  });

  test('a cell that is added later is read from its start', async () => {
    const site = new Site();
    const before = await site.open('one');
    await site.insert(before, 'a');
    const { cursor } = await followed(before, 'start');
    const store = await site.open('one', 'two');
    const [job] = await site.insert(store, 'b');
    assert.equal(await cellOf(store, 'b'), 'two');
    const { items } = await followed(store, { cursor });
    assert.deepEqual(new Set(items.map(({ event }) => event.jobId)), new Set([job!.id]));
  });

  test('a cell that was restored resets its own part of a cursor alone', async () => {
    const site = new Site();
    const store = await site.open('one', 'two');
    await site.insert(store, 'a');
    await site.insert(store, 'b');
    const { cursor } = await followed(store, 'start');
    site.stores.delete('two');
    const again = await site.open('one', 'two');
    const [missed] = await site.insert(again, 'a');
    const page = await again.tail({ tenant: null, from: { cursor }, limit: 10 });
    assert.equal(page.isReset, true);
    assert.deepEqual(page.items, []);
    const { items } = await followed(again, { cursor: page.cursor });
    assert.deepEqual(new Set(items.map(({ event }) => event.jobId)), new Set([missed!.id]));
  });
});
