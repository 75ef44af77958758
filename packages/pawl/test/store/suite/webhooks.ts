import assert from 'node:assert/strict';
import type { WebhookSettings, WebhookWrite } from '../../../src/records/webhooks.ts';
import type { Cases, Scene } from './scene.ts';

const settings: WebhookSettings = {
  url: 'https://example.org/hook?a=ä',
  description: 'für alle "Fälle"',
  events: ['job_failed'],
  types: ['convert'],
  isEnabled: true,
  disabledReason: null,
  secrets: [{ sealed: 'a.b', expiresAt: null }],
  failingSince: null,
  createdBy: 'api:root',
};

function write(scene: Scene, change: Partial<WebhookWrite> & { id: string }): Promise<string> {
  const whole = { tenant: scene.tenant, expected: 0, settings, audit: [], ...change };
  return scene.records.webhooks.write(whole);
}

function entry(scene: Scene, action: string) {
  const { tenant } = scene;
  return { tenant, id: scene.ids.next(), actor: 'api:root', action, subject: 'x', details: null };
}

export const webhookCases: Cases = {
  'a webhook is kept as given, and changed at its revision only': async (scene) => {
    const id = scene.ids.next();
    const made = scene.clock.now();
    assert.equal(await write(scene, { id }), 'written');
    assert.equal(await write(scene, { id }), 'stale');
    scene.clock.advance(10);
    const changed = { ...settings, isEnabled: false, disabledReason: 'gone', types: null };
    assert.equal(await write(scene, { id, expected: 2, settings: changed }), 'stale');
    const ref = { tenant: scene.tenant, id };
    const first = { tenant: scene.tenant, id, ...settings, revision: 1 };
    assert.deepEqual(await scene.records.webhooks.find(ref), {
      ...first,
      createdAt: made,
      updatedAt: made,
    });
    assert.equal(await write(scene, { id, expected: 1, settings: changed }), 'written');
    assert.deepEqual(await scene.records.webhooks.find(ref), {
      ...first,
      ...changed,
      revision: 2,
      createdAt: made,
      updatedAt: made + 10,
    });
  },

  'webhooks are listed for the tenants asked for, by id, and for nobody else': async (scene) => {
    const other = scene.otherTenant();
    const [one, two, three] = [scene.ids.next(), scene.ids.next(), scene.ids.next()].sort();
    await write(scene, { id: two! });
    await write(scene, { id: one! });
    await write(other, { id: three! });
    const idsOf = async (tenants: string[]): Promise<string[]> =>
      (await scene.records.webhooks.list(tenants)).map(({ id }) => id);
    assert.deepEqual(await idsOf([scene.tenant]), [one, two]);
    assert.deepEqual(await idsOf([other.tenant, scene.tenant, scene.tenant]), [one, two, three]);
    const { tenant } = scene;
    assert.equal(await scene.records.webhooks.find({ tenant, id: three! }), null);
    assert.equal(await scene.records.webhooks.find({ tenant, id: 'nonsense' }), null);
    assert.equal(await scene.records.webhooks.find({ tenant, id: 'a\0' }), null);
    assert.deepEqual(await idsOf(['nobody at all']), []);
    assert.deepEqual(await idsOf([]), []);
    assert.equal(await write(scene, { id: three! }), 'written');
  },

  'a removal is made to a revision, and what was refused leaves no entry': async (scene) => {
    const id = scene.ids.next();
    await write(scene, { id, audit: [entry(scene, 'made')] });
    const removal = { id, settings: null };
    const refused = { ...removal, expected: 2, audit: [entry(scene, 'refused')] };
    assert.equal(await write(scene, refused), 'stale');
    const other = scene.otherTenant();
    assert.equal(await write(other, { ...removal, expected: 1 }), 'stale');
    const done = { ...removal, expected: 1, audit: [entry(scene, 'removed')] };
    assert.equal(await write(scene, done), 'written');
    assert.equal(await write(scene, done), 'stale');
    assert.deepEqual(await scene.records.webhooks.list([scene.tenant]), []);
    const trail = await scene.records.audit.list({ tenant: scene.tenant, limit: 9 });
    assert.deepEqual(trail.map(({ action }) => action).sort(), ['made', 'removed']);
  },
};
