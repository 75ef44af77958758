// What is kept of webhooks, on every store.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  WebhookRecords,
  type WebhookSettings,
  type WebhookWrite,
} from '@pawl/server/internal/webhooks/records';
import { openWorld, type World } from '../support/world.ts';
import { forEachStore, type StoreUnderTest } from '../support/world-stores.ts';

const tenant = 'acme';

const settings: WebhookSettings = {
  url: 'https://example.org/hook?a=ä',
  description: 'für alle "Fälle"',
  events: ['job_failed'],
  types: ['convert'],
  isEnabled: true,
  disabledReason: null,
  secrets: [{ sealed: 'a.b', expiresAt: null }],
  failingSince: null,
  circuit: { failures: 0, openUntil: null },
  createdBy: 'api:root',
};

type Change = Partial<WebhookWrite> & { readonly id: string };

interface Fixture {
  readonly world: World;
  readonly records: WebhookRecords;
  readonly write: (change: Change) => Promise<string>;
}

async function open(store: StoreUnderTest, context: TestContext): Promise<Fixture> {
  const world = await openWorld({ store: store.open });
  context.after(() => world.close());
  const records = new WebhookRecords(world.context.store.records);
  const write = (change: Change) =>
    records.write({ tenant, expected: 0, settings, audit: [], ...change });
  return { world, records, write };
}

const CASES: Readonly<Record<string, (fixture: Fixture) => Promise<void>>> = {
  'a webhook is kept as given, and changed at its revision only': async ({
    world,
    records,
    write,
  }) => {
    const id = world.engine.ids.next();
    const made = world.clock.now();
    assert.equal(await write({ id }), 'written');
    assert.equal(await write({ id }), 'stale');
    world.clock.advance(10);
    const changed = { ...settings, isEnabled: false, disabledReason: 'gone', types: null };
    assert.equal(await write({ id, expected: 2, settings: changed }), 'stale');
    const first = { tenant, id, ...settings, revision: 1 };
    const times = { createdAt: made, updatedAt: made };
    assert.deepEqual(await records.find({ tenant, id }), { ...first, ...times });
    assert.equal(await write({ id, expected: 1, settings: changed }), 'written');
    assert.deepEqual(await records.find({ tenant, id }), {
      ...first,
      ...changed,
      ...times,
      revision: 2,
      updatedAt: made + 10,
    });
  },

  'webhooks are listed for the tenants asked for, by id': async ({ world, records, write }) => {
    const { ids } = world.engine;
    const [one = '', two = '', three = ''] = [ids.next(), ids.next(), ids.next()].sort();
    await write({ id: two });
    await write({ id: one });
    await write({ tenant: 'rival', id: three });
    const idsOf = async (tenants: string[]): Promise<string[]> =>
      (await records.list(tenants)).map(({ id }) => id);
    assert.deepEqual(await idsOf([tenant]), [one, two]);
    assert.deepEqual((await idsOf(['rival', tenant, tenant])).sort(), [one, two, three]);
    assert.equal(await records.find({ tenant, id: three }), null);
    assert.equal(await records.find({ tenant, id: 'nonsense' }), null);
    assert.equal(await records.find({ tenant, id: 'a\0' }), null);
    assert.deepEqual(await idsOf(['nobody at all']), []);
    assert.deepEqual(await idsOf([]), []);
    assert.equal(await write({ id: three }), 'written');
  },

  'a removal is of a revision, and a refused one leaves no entry': async ({
    world,
    records,
    write,
  }) => {
    const entry = (action: string) => ({
      tenant,
      id: world.engine.ids.next(),
      actor: 'api:root',
      action,
      subject: 'x',
      details: null,
    });
    const id = world.engine.ids.next();
    await write({ id, audit: [entry('made')] });
    const removal = { id, settings: null };
    assert.equal(await write({ ...removal, expected: 2, audit: [entry('refused')] }), 'stale');
    assert.equal(await write({ ...removal, tenant: 'rival', expected: 1 }), 'stale');
    const done = { ...removal, expected: 1, audit: [entry('removed')] };
    assert.equal(await write(done), 'written');
    assert.equal(await write(done), 'stale');
    assert.deepEqual(await records.list([tenant]), []);
    const trail = await world.engine.audit.list({ tenant, limit: 9 });
    assert.deepEqual(trail.map(({ action }) => action).sort(), ['made', 'removed']);
  },
};

await forEachStore((store) => {
  for (const [title, run] of Object.entries(CASES)) {
    test(`${store.label}: ${title}`, async (context) => run(await open(store, context)));
  }
});
