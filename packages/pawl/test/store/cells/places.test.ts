import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AccessKeys } from '../../../src/records/access-keys.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { cellOf, followed, Site } from './fixture.ts';

describe('where tenants live', () => {
  test('a new tenant lives where the fewest are, and keeps its cell', async () => {
    const site = new Site();
    const store = await site.open('one', 'two', 'three');
    for (const tenant of ['a', 'b', 'c', 'd']) await site.insert(store, tenant);
    assert.deepEqual(
      await Promise.all(['a', 'b', 'c', 'd'].map((tenant) => cellOf(store, tenant))),
      ['one', 'two', 'three', 'one'],
    );
    await site.insert(store, 'b');
    assert.equal((await site.store('two').list({ tenant: 'b', limit: 10 })).jobs.length, 2);
    assert.deepEqual((await site.store('one').list({ tenant: 'b', limit: 10 })).jobs, []);
  });

  test('two processes that meet a new tenant at once agree on its cell', async () => {
    const site = new Site();
    const processes = [await site.open('one', 'two'), await site.open('one', 'two')];
    await Promise.all(processes.map((store) => site.insert(store, 'new')));
    const [first, second] = await Promise.all(processes.map((store) => cellOf(store, 'new')));
    assert.equal(first, second);
    assert.equal((await site.store(first!).list({ tenant: 'new', limit: 10 })).jobs.length, 2);
  });

  test('somebody chooses the cell of a tenant before its first job, and not after', async () => {
    const site = new Site();
    const store = await site.open('one', 'two');
    assert.equal((await store.cells.place('chosen', 'two')).cell, 'two');
    await site.insert(store, 'chosen');
    assert.equal((await site.store('two').list({ tenant: 'chosen', limit: 9 })).jobs.length, 1);
    assert.equal((await store.cells.place('chosen', 'one')).cell, 'two', 'it stays');
    await assert.rejects(store.cells.place('other', 'three'), /choose one of one, two/);
  });

  test('who has jobs in a database that becomes a cell lives there', async () => {
    const site = new Site();
    await site.insert(site.store('old'), 'early');
    const store = await site.open('new', 'old');
    assert.equal(await cellOf(store, 'early'), 'old');
  });

  test('a tenant with jobs in two databases is nobody’s to choose for', async () => {
    const site = new Site();
    await site.insert(site.store('one'), 'both');
    await site.insert(site.store('two'), 'both');
    await assert.rejects(
      site.open('one', 'two'),
      /"both" lives in cell "one" and has jobs in "two"/,
    );
  });

  test('a cell that tenants live in and nobody names is asked for', async () => {
    const site = new Site();
    const before = await site.open('one', 'two');
    await before.cells.place('far', 'two');
    const store = await site.open('one', 'three');
    await assert.rejects(
      site.insert(store, 'far'),
      /lives in cell "two", which is none of one, three/,
    );
  });

  test('names of cells are short and each used once', async () => {
    const site = new Site();
    await assert.rejects(site.open('one', 'one'), /cannot name a cell/);
    await assert.rejects(site.open('One'), /cannot name a cell/);
    await assert.rejects(site.open(), /at least one cell/);
  });
});

describe('a cell that is away', () => {
  test('stops its own tenants and nobody else', async () => {
    const site = new Site();
    const store = await site.open('one', 'two');
    const [near] = await site.insert(store, 'near');
    const [far] = await site.insert(store, 'far');
    site.away.add('two');
    await assert.rejects(site.insert(store, 'far'), (error: unknown) => {
      assert.ok(error instanceof StoreError);
      assert.equal(error.outcome, 'unchanged');
      assert.match(error.message, /cell "two": nothing listens there/);
      return true;
    });
    await assert.rejects(store.read([far!]), StoreError);
    await assert.rejects(store.tail({ tenant: 'far', from: 'start', limit: 5 }), StoreError);
    assert.equal((await store.read([near!]))[0]?.tenant, 'near');
    const claim = { types: ['task'], max: 10, tenants: null, queues: null, requestId: null };
    const won = await store.claim({ ...claim, owner: 'w' });
    assert.deepEqual(
      won.map(({ job }) => job.tenant),
      ['near'],
    );
    assert.deepEqual(await store.maintenance.health(), { state: 'ok', detail: null });
    assert.deepEqual(
      (await store.cells.states()).map(({ name, state }) => [name, state]),
      [
        ['one', 'ok'],
        ['two', 'unreachable'],
      ],
    );
    site.away.delete('two');
    site.clock.advance(1_000);
    const later = await store.claim({ ...claim, owner: 'w' });
    assert.deepEqual(
      later.map(({ job }) => job.tenant),
      ['far'],
    );
  });

  test('has no new tenants meanwhile', async () => {
    const site = new Site();
    const store = await site.open('one', 'two');
    await site.insert(store, 'first');
    site.away.add('two');
    await assert.rejects(store.cells.place('x', 'three'), StoreError);
    await store.cells.states();
    await site.insert(store, 'second');
    assert.equal(await cellOf(store, 'second'), 'one');
  });

  test('is opened when it comes back, if it was away from the start', async () => {
    const site = new Site();
    const before = await site.open('one', 'two');
    await before.cells.place('far', 'two');
    site.away.add('two');
    const store = await site.open('one', 'two');
    await site.insert(store, 'near');
    await assert.rejects(site.insert(store, 'far'), /cannot be opened: nothing listens there/);
    site.away.delete('two');
    await site.insert(store, 'far');
    assert.equal((await site.store('two').list({ tenant: 'far', limit: 5 })).jobs.length, 1);
  });

  test('keeps its place in the log: what happens there is read once it is back', async () => {
    const site = new Site();
    const store = await site.open('one', 'two');
    await site.insert(store, 'near');
    await site.insert(store, 'far');
    const { cursor } = await followed(store, 'start');
    site.away.add('two');
    await assert.rejects(site.insert(store, 'far'), StoreError);
    const [near] = await site.insert(store, 'near');
    const meanwhile = await followed(store, { cursor });
    assert.deepEqual(new Set(meanwhile.items.map(({ event }) => event.jobId)), new Set([near!.id]));
    const [far] = await site.insert(site.store('two'), 'far');
    site.away.delete('two');
    site.clock.advance(1_000);
    const later = await followed(store, { cursor: meanwhile.cursor });
    assert.deepEqual(new Set(later.items.map(({ event }) => event.jobId)), new Set([far!.id]));
  });

  test('does not keep the key of another cell’s tenant from being found', async () => {
    const site = new Site();
    const store = await site.open('one', 'two', 'three');
    await store.cells.place('here', 'two');
    await store.cells.place('gone', 'three');
    const keys = new AccessKeys(store.records);
    const key = { name: 'k', hash: 'h', roles: [], scopes: null, queues: null, createdBy: 'test' };
    const audit = [] as never[];
    for (const tenant of ['here', 'gone']) {
      const add = { ...key, id: `of-${tenant}`, tenant, ttlMs: null } as never;
      assert.equal(await keys.write({ add, end: null, audit }), 'written');
    }
    site.away.add('three');
    assert.equal((await keys.find('of-here'))?.tenant, 'here');
    await assert.rejects(keys.find('of-gone'), StoreError, 'nobody can say that there is none');
  });
});

test('a write that concerns the tenants of two cells is refused, and writes nothing', async () => {
  const site = new Site();
  const store = await site.open('one', 'two');
  await store.cells.place('a', 'one');
  await store.cells.place('b', 'two');
  const kind = { name: 'page' };
  const ops = ['a', 'b'].map(
    (tenant) => ({ op: 'put', kind, tenant, id: 'x', body: '{}' }) as const,
  );
  await assert.rejects(store.records.write(ops), /"one" and "two" cannot be written together/);
  const { records } = await store.records.list({ kind, tenants: null, limit: 10 });
  assert.deepEqual(records, []);
});
