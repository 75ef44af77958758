import assert from 'node:assert/strict';
import type { ClaimRequest } from '../../../src/store/claim.ts';
import type { DispatchRuleChange } from '../../../src/store/dispatch-rule.ts';
import type { Cases, JobOptions, Scene } from './scene.ts';

function rule(scene: Scene, more: Partial<DispatchRuleChange>): Promise<unknown> {
  const { tenant } = scene;
  return scene.store.putDispatchRule({
    tenant,
    scope: 'queue',
    name: 'bulk',
    actor: 'ops',
    ...more,
  });
}

async function enqueueMany(scene: Scene, count: number, options: JobOptions): Promise<void> {
  const jobs = await Promise.all(Array.from({ length: count }, () => scene.newJob(options)));
  await scene.store.insert(jobs);
}

/** How many jobs a claim takes of each queue. */
async function taken(scene: Scene, request: Partial<ClaimRequest> = {}): Promise<object> {
  const counts: Record<string, number> = {};
  for (const { job } of await scene.claim(request)) {
    counts[job.queue] = (counts[job.queue] ?? 0) + 1;
  }
  return counts;
}

export const dispatchRuleCases: Cases = {
  'a rule is made by its first change, and a change leaves the rest as it is': async (scene) => {
    const { tenant } = scene;
    const at = scene.clock.now();
    const made = await rule(scene, { concurrency: 3 });
    const expected = {
      tenant,
      scope: 'queue',
      name: 'bulk',
      isPaused: false,
      pausedUntil: null,
      concurrency: 3,
      throttle: null,
      highWatermark: null,
      lowWatermark: null,
      isShedding: false,
      reason: null,
      actor: 'ops',
      updatedAt: at,
    };
    assert.deepEqual(made, expected);
    const updatedAt = scene.clock.advance(5);
    const change = { isPaused: true, reason: 'maintenance', highWatermark: 9, lowWatermark: 4 };
    const changed = { ...expected, ...change, actor: 'eve', updatedAt };
    assert.deepEqual(await rule(scene, { ...change, actor: 'eve' }), changed);
    const cleared = { ...changed, concurrency: null, actor: 'ops' };
    assert.deepEqual(await rule(scene, { concurrency: null }), cleared);
    assert.deepEqual(await scene.store.rules(tenant), [cleared]);
    assert.deepEqual(await scene.store.rules('nobody'), []);
  },

  'rules are listed by scope and name': async (scene) => {
    for (const name of ['b', 'a']) await rule(scene, { name });
    await rule(scene, { scope: 'type', name: 'a' });
    const names = (await scene.store.rules(scene.tenant)).map(({ scope, name }) => [scope, name]);
    assert.deepEqual(names, [
      ['queue', 'a'],
      ['queue', 'b'],
      ['type', 'a'],
    ]);
    const all = await scene.store.rules(null);
    assert.equal(all.filter(({ tenant }) => tenant === scene.tenant).length, 3);
  },

  '[F68] nothing is claimed from a paused queue until it is resumed': async (scene) => {
    const other = scene.otherTenant();
    await enqueueMany(scene, 2, { queue: 'bulk' });
    await enqueueMany(scene, 2, {});
    await enqueueMany(other, 1, { queue: 'bulk' });
    await rule(scene, { isPaused: true });
    assert.deepEqual(await taken(scene), { default: 2 });
    assert.deepEqual(await taken(other), { bulk: 1 });
    await rule(scene, { isPaused: false });
    assert.deepEqual(await taken(scene), { bulk: 2 });
  },

  '[F68] a pause with an end is over at that time, by the store and for everybody': async (
    scene,
  ) => {
    await scene.type('mail', 'task');
    await enqueueMany(scene, 2, { queue: 'bulk' });
    await enqueueMany(scene, 1, { type: 'mail', queue: 'other' });
    const pausedUntil = scene.clock.now() + 60_000;
    const more = { isPaused: true, pausedUntil, reason: 'maintenance' };
    await rule(scene, { ...more, concurrency: 1 });
    await rule(scene, { ...more, scope: 'type', name: 'mail' });
    const shown = async (): Promise<unknown[]> =>
      (await scene.store.rules(scene.tenant)).map((one) => [
        one.name,
        one.isPaused,
        one.pausedUntil,
        one.concurrency,
        one.reason,
      ]);
    scene.clock.advance(59_999);
    assert.deepEqual(await taken(scene), {});
    assert.deepEqual(await shown(), [
      ['bulk', true, pausedUntil, 1, 'maintenance'],
      ['mail', true, pausedUntil, null, 'maintenance'],
    ]);
    scene.clock.advance(1);
    assert.deepEqual(await taken(scene), { bulk: 1, other: 1 });
    assert.deepEqual(await shown(), [
      ['bulk', false, null, 1, null],
      ['mail', false, null, null, null],
    ]);
    await rule(scene, { concurrency: 2 });
    assert.deepEqual((await shown())[0], ['bulk', false, null, 2, null]);
    await rule(scene, { isPaused: true });
    scene.clock.advance(600_000);
    assert.deepEqual(await taken(scene), {}, 'a pause without an end lasts');
  },

  'a type can be paused as well': async (scene) => {
    await scene.type('mail', 'task');
    await enqueueMany(scene, 1, { type: 'mail' });
    await enqueueMany(scene, 1, { type: 'mail', queue: 'bulk' });
    await enqueueMany(scene, 1, { queue: 'bulk' });
    await rule(scene, { scope: 'type', name: 'mail', isPaused: true });
    assert.deepEqual(await taken(scene), { bulk: 1 });
  },

  'a paused lane takes no share from the others': async (scene) => {
    for (const queue of ['a', 'b', 'bulk']) await enqueueMany(scene, 10, { queue });
    await rule(scene, { isPaused: true });
    assert.deepEqual(await taken(scene, { max: 6 }), { a: 3, b: 3 });
  },

  'of a queue with a concurrency no more are owned, whatever their types': async (scene) => {
    await scene.type('mail', 'task');
    await rule(scene, { concurrency: 3 });
    for (const type of ['mail', 'task']) await enqueueMany(scene, 4, { type, queue: 'bulk' });
    const won = await scene.claim();
    assert.equal(won.length, 3);
    assert.deepEqual(await scene.claim(), []);
    await scene.ask(won[0]!.job, { on: 'succeed' });
    await scene.ask(won[1]!.job, { on: 'snooze', delayMs: 60_000 });
    assert.equal((await scene.claim()).length, 2);
    await rule(scene, { concurrency: null });
    assert.equal((await scene.claim()).length, 3);
  },

  'a concurrency below what is owned takes nothing away and gives nothing more': async (scene) => {
    await enqueueMany(scene, 4, { queue: 'bulk' });
    const won = await scene.claim({ max: 3 });
    await rule(scene, { concurrency: 2 });
    assert.deepEqual(await scene.claim(), []);
    await scene.ask(won[0]!.job, { on: 'succeed' });
    assert.deepEqual(await scene.claim(), []);
    await scene.ask(won[1]!.job, { on: 'succeed' });
    assert.equal((await scene.claim()).length, 1);
  },

  'what a full queue cannot give is shared by the others': async (scene) => {
    for (const queue of ['bulk', 'a', 'b']) await enqueueMany(scene, 10, { queue });
    await rule(scene, { concurrency: 1 });
    assert.deepEqual(await taken(scene, { max: 9 }), { bulk: 1, a: 4, b: 4 });
  },

  'many claimers at once do not exceed a concurrency of a queue or a type': async (scene) => {
    await scene.type('mail', 'task');
    await rule(scene, { concurrency: 5 });
    await rule(scene, { scope: 'type', name: 'mail', concurrency: 3 });
    await enqueueMany(scene, 20, { queue: 'bulk' });
    await enqueueMany(scene, 20, { queue: 'bulk', type: 'mail' });
    await enqueueMany(scene, 20, { type: 'mail' });
    const claims = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        scene.store.claim(scene.claimRequest({ owner: `w${n}`, max: 2 })),
      ),
    );
    const jobs = claims.flat().map(({ job }) => job);
    assert.equal(jobs.filter(({ queue }) => queue === 'bulk').length, 5);
    assert.equal(jobs.filter(({ type }) => type === 'mail').length, 3);
  },

  'tenants take turns at being the first': async (scene) => {
    const others = [scene, scene.otherTenant(), scene.otherTenant()];
    const type = `turns-of-${scene.tenant}`;
    for (const one of others) {
      await one.type(type, 'task');
      await enqueueMany(one, 6, { type });
    }
    const tenants = others.map(({ tenant }) => tenant);
    const first: (string | undefined)[] = [];
    for (let turn = 0; turn < 4; turn++) {
      const won = await scene.claim({ tenants, types: [type], max: 1, turn });
      first.push(won[0]?.job.tenant);
    }
    assert.deepEqual(first, [tenants[0], tenants[1], tenants[2], tenants[0]]);
  },

  'tenants share before lanes do': async (scene) => {
    const other = scene.otherTenant();
    const type = `shared-by-${scene.tenant}`;
    for (const one of [scene, other]) await one.type(type, 'task');
    for (const queue of ['a', 'b', 'c']) await enqueueMany(scene, 9, { type, queue });
    await enqueueMany(other, 9, { type });
    const tenants = [scene.tenant, other.tenant];
    assert.deepEqual(await taken(scene, { tenants, types: [type], max: 6 }), {
      a: 1,
      b: 1,
      c: 1,
      default: 3,
    });
  },
};
