import assert from 'node:assert/strict';
import type { Policy } from '../../../src/core/policy.ts';
import type { Cases, Scene } from './scene.ts';

function policy(scene: Scene, maxAttempts: number): Policy {
  const { defaults } = scene.lifecycle('task');
  return {
    lifecycle: 'task',
    lifecycleVersion: 1,
    timeoutMs: null,
    stages: [{ name: 'only', min: 0, max: 100 }],
    ...defaults,
    retry: { ...defaults.retry, maxAttempts },
  };
}

export const registryCases: Cases = {
  'a type is registered with its policy and definition': async (scene) => {
    const entry = { policy: policy(scene, 3), definition: '{"b":1,"a":2}' };
    const record = await scene.records.types.put({ tenant: scene.tenant, type: 'mail' }, entry);
    assert.deepEqual(record, {
      tenant: scene.tenant,
      type: 'mail',
      policy: record.policy,
      revision: 1,
      definition: '{"b":1,"a":2}',
      updatedAt: scene.clock.now(),
    });
    assert.deepEqual(await scene.records.types.list(scene.tenant), [record]);
    assert.deepEqual(await scene.store.policies([record.policy]), [entry.policy]);
  },

  'an equal policy keeps its number and an equal definition its revision': async (scene) => {
    const put = (maxAttempts: number, definition: string) => {
      const entry = { policy: policy(scene, maxAttempts), definition };
      return scene.records.types.put({ tenant: scene.tenant, type: 'mail' }, entry);
    };
    const one = await put(3, '{"v":1}');
    const same = await put(3, '{"v":1}');
    assert.deepEqual([same.policy, same.revision], [one.policy, 1]);
    const reworded = await put(3, '{"v":2}');
    assert.deepEqual([reworded.policy, reworded.revision], [one.policy, 2]);
    const changed = await put(4, '{"v":2}');
    assert.notEqual(changed.policy, one.policy);
    assert.equal(changed.revision, 2);
    const both = await put(5, '{"v":3}');
    assert.equal(both.revision, 3);
    const numbers = [both.policy, one.policy, changed.policy];
    const attempts = (await scene.store.policies(numbers)).map(({ retry }) => retry.maxAttempts);
    assert.deepEqual(attempts, [5, 3, 4]);
    assert.deepEqual(await scene.records.types.list(scene.tenant), [both]);
  },

  'a job lives by the policy that was frozen at its birth': async (scene) => {
    await scene.type('task', 'task', { lease: { ttlMs: 10_000, heartbeatMs: 5_000 } });
    const job = await scene.enqueue();
    await scene.type('task', 'task', { lease: { ttlMs: 90_000, heartbeatMs: 45_000 } });
    const claimed = await scene.claimOne();
    assert.equal(claimed.leaseExpiry, scene.clock.now() + 10_000);
    assert.equal(claimed.policy, job.policy);
  },

  'types are paged by name with those that all tenants share, the own one first': async (scene) => {
    const { types } = scene.records;
    const shared = scene.otherTenant().tenant;
    const entry = (definition: string) => ({ policy: policy(scene, 3), definition });
    const names = Array.from({ length: 60 }, (_, index) => `t${String(index).padStart(2, '0')}`);
    for (const type of names) await types.put({ tenant: shared, type }, entry('{"is":"shared"}'));
    for (const type of ['t00', 't49', 'u']) {
      await types.put({ tenant: scene.tenant, type }, entry('{"is":"own"}'));
    }
    const owners = { tenant: scene.tenant, shared };
    const all = await types.page(owners, { limit: 99 });
    assert.deepEqual(
      all.map(({ type }) => type),
      [...names, 'u'],
    );
    const own = all.filter(({ tenant }) => tenant === scene.tenant).map(({ type }) => type);
    assert.deepEqual(own, ['t00', 't49', 'u']);
    for (const after of ['t47', 't48', 't49', 'u']) {
      const page = await types.page(owners, { after, limit: 2 });
      assert.deepEqual(page, all.filter(({ type }) => type > after).slice(0, 2), after);
    }
  },

  'types of one tenant are unknown to another': async (scene) => {
    const other = scene.otherTenant();
    await scene.type('mail', 'task');
    await scene.type('report', 'task');
    assert.deepEqual(await other.records.types.list(other.tenant), []);
    await other.type('mail', 'platform');
    const names = (await scene.records.types.list(scene.tenant)).map(({ type }) => type).sort();
    assert.deepEqual(names, ['mail', 'report']);
  },
};
