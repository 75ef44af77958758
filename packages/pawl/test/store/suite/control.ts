import assert from 'node:assert/strict';
import { auditOps } from '../../../src/records/audit.ts';
import type { Request } from '../../../src/core/decision.ts';
import { limitPolicyOf } from '../../../src/core/limits.ts';
import type { Throttle } from '../../../src/core/throttle.ts';
import type { ThrottleChange, TypeHealth } from '../../../src/store/control.ts';
import type { Cases, Scene } from './scene.ts';

const FAILURE = { class: 'network_timeout', message: 'gone' };

async function health(scene: Scene, since = scene.clock.now() - 60_000): Promise<TypeHealth[]> {
  const all = await scene.store.control.ailing(since);
  return all.filter(({ tenant }) => tenant === scene.tenant);
}

async function end(scene: Scene, type: string, request: Request): Promise<void> {
  await scene.ask(await scene.running({ type }), request);
}

function throttle(scene: Scene, more: Partial<Throttle> = {}): Throttle {
  const now = scene.clock.now();
  const times = { since: now, changedAt: now };
  return { ceiling: 2, baseline: 8, bound: null, failed: 9, ended: 10, ...times, ...more };
}

function change(scene: Scene, more: Pick<ThrottleChange, 'seen' | 'next'>): Promise<boolean> {
  const { tenant, ids } = scene;
  const audit = { tenant, id: ids.next(), actor: 'system', subject: 'type task', details: null };
  return scene.store.control.throttle({
    tenant,
    type: 'task',
    actor: 'system',
    with: auditOps([{ ...audit, action: 'concurrency_reduced' }]),
    ...more,
  });
}

async function forgetRates(scene: Scene): Promise<number> {
  const { control } = scene.store;
  let total = 0;
  let after: string | null = null;
  do {
    const { trimmed, next } = await control.trimRates({ after, limit: 3 });
    total += trimmed;
    after = next;
  } while (after !== null);
  return total;
}

const RATE = { max: 2, perMs: 120_000 };

/** A type whose users may start two at once, and one a minute after that. */
async function rated(scene: Scene): Promise<void> {
  const limits = limitPolicyOf({ rate: { perUser: RATE, perOrganisation: { max: 9, perMs: 9 } } });
  await scene.type('ai', 'task', { limits: limits! });
}

async function startOf(scene: Scene, users: readonly string[]): Promise<number> {
  for (const requestedBy of users) await scene.insert({ type: 'ai', requestedBy });
  return (await scene.claim()).length;
}

export const controlCases: Cases = {
  '[T35] turns count by how they end: errors and losses against a type, others not at all': async (
    scene,
  ) => {
    await end(scene, 'task', { on: 'succeed' });
    await end(scene, 'task', { on: 'fail', error: FAILURE });
    await end(scene, 'task', { on: 'fail', error: { class: 'bad', message: 'at once' } });
    await end(scene, 'task', { on: 'release' });
    await scene.ask((await scene.claim())[0]!.job, { on: 'snooze', delayMs: 600_000 });
    await end(scene, 'task', { on: 'cancel', reason: null });
    const waiting = await scene.enqueue();
    await scene.ask(waiting, { on: 'cancel', reason: null });
    const expected = { tenant: scene.tenant, type: 'task', succeeded: 1, failed: 2, owned: 0 };
    const open = { throttle: null, concurrency: null };
    assert.deepEqual(await health(scene), [{ ...expected, ...open }]);
    const lost = await scene.running();
    scene.clock.advance(600_000);
    await scene.ask(lost, { on: 'lose' }, { fence: { kind: 'expired' } });
    assert.deepEqual(await health(scene), [{ ...expected, succeeded: 0, failed: 1, ...open }]);
  },

  '[T35] a success or a failure that takes several steps counts once': async (scene) => {
    await end(scene, 'platform', { on: 'fail', error: { class: 'bad', message: 'at once' } });
    const job = await scene.running({ type: 'document' });
    await scene.ask(job, { on: 'succeed' }, { checkpoint: '1' });
    await end(scene, 'document', { on: 'fail', error: FAILURE });
    assert.deepEqual(
      (await health(scene)).map(({ type, succeeded, failed }) => [type, succeeded, failed]),
      [
        ['document', 1, 1],
        ['platform', 0, 1],
      ],
    );
  },

  '[T35] a move that missed does not count, and types count apart': async (scene) => {
    await scene.type('mail', 'task');
    const job = await scene.running({ type: 'mail' });
    const move = scene.move(job, { on: 'fail', error: FAILURE });
    const outcomes = await scene.store.apply([move, move]);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['moved', 'missed'],
    );
    await end(scene, 'task', { on: 'succeed' });
    assert.deepEqual(
      (await health(scene)).map(({ type, succeeded, failed }) => [type, succeeded, failed]),
      [['mail', 0, 1]],
    );
  },

  '[T35] a throttle bounds the claims of its type, and is lifted without a trace': async (
    scene,
  ) => {
    const jobs = await Promise.all(Array.from({ length: 5 }, () => scene.newJob()));
    await scene.store.insert(jobs);
    const first = throttle(scene);
    assert.equal(await change(scene, { seen: null, next: first }), true);
    assert.equal((await scene.claim()).length, 2);
    const [rule] = await scene.store.rules(scene.tenant);
    assert.deepEqual([rule!.concurrency, rule!.throttle], [2, first]);
    const [found] = await health(scene);
    assert.deepEqual([found!.owned, found!.throttle, found!.concurrency], [2, first, 2]);
    scene.clock.advance(5);
    assert.equal(await change(scene, { seen: first, next: null }), true);
    assert.equal((await scene.claim()).length, 3);
    assert.deepEqual(await scene.store.rules(scene.tenant), []);
    const audit = await scene.records.audit.list({ tenant: scene.tenant, limit: 9 });
    assert.equal(audit.length, 2);
  },

  '[T35] a bound that was there before is there again afterwards': async (scene) => {
    const ref = { tenant: scene.tenant, scope: 'type', name: 'task', actor: 'ops' } as const;
    await scene.store.putDispatchRule({ ...ref, concurrency: 7, reason: 'fragile' });
    const first = throttle(scene, { bound: 7 });
    assert.equal(await change(scene, { seen: null, next: first }), true);
    assert.equal(await change(scene, { seen: first, next: null }), true);
    const [rule] = await scene.store.rules(scene.tenant);
    assert.deepEqual([rule!.concurrency, rule!.reason, rule!.throttle], [7, 'fragile', null]);
  },

  '[T35] of many who change the same throttle one does, and one entry tells of it': async (
    scene,
  ) => {
    for (const seen of [null, throttle(scene)]) {
      const next = throttle(scene, { ceiling: 1, changedAt: scene.clock.now() + 9 });
      const results = await Promise.all(
        Array.from({ length: 8 }, () =>
          change(scene, { seen, next: seen === null ? throttle(scene) : next }),
        ),
      );
      assert.equal(results.filter(Boolean).length, 1);
    }
    const audit = await scene.records.audit.list({ tenant: scene.tenant, limit: 99 });
    assert.equal(audit.length, 2);
  },

  '[T35] a changed throttle is judged by what ended after it': async (scene) => {
    await end(scene, 'task', { on: 'fail', error: FAILURE });
    scene.clock.advance(1_000);
    const first = throttle(scene, { ceiling: 5 });
    await change(scene, { seen: null, next: first });
    assert.equal((await health(scene))[0]!.failed, 0);
    scene.clock.advance(1_000);
    await end(scene, 'task', { on: 'succeed' });
    const [found] = await health(scene);
    assert.deepEqual([found!.succeeded, found!.failed], [1, 0]);
    await change(scene, { seen: first, next: null });
  },

  '[T35] ends before the moment that is asked for do not count': async (scene) => {
    await end(scene, 'task', { on: 'fail', error: FAILURE });
    const at = scene.clock.now();
    scene.clock.advance(61_000);
    assert.equal((await health(scene, at - 60_000)).length, 1);
    assert.deepEqual(await health(scene, at + 1_000), []);
  },

  '[T12] a limiter that is full again is forgotten, and that changes nothing': async (scene) => {
    await rated(scene);
    assert.equal(await startOf(scene, ['ada', 'ada', 'bob']), 3);
    scene.clock.advance(119_999);
    await forgetRates(scene);
    // Ada has one and a bit of her two tokens, Bob has both.
    assert.equal(await startOf(scene, ['ada', 'ada', 'bob', 'bob', 'bob']), 3);
    scene.clock.advance(30 * 86_400_000);
    await scene.store.due(100);
    assert.equal((await scene.claim()).length, 2, 'those who had to wait');
    scene.clock.advance(30 * 86_400_000);
    assert.ok((await forgetRates(scene)) >= 3, 'of two users and their tenant');
    assert.equal(await startOf(scene, ['ada', 'ada', 'ada', 'bob', 'bob', 'bob']), 4);
  },

  '[T12] a limiter that somebody waits at stays, however old': async (scene) => {
    await rated(scene);
    assert.equal(await startOf(scene, ['eve', 'eve', 'eve']), 2);
    scene.clock.advance(30 * 86_400_000);
    await forgetRates(scene);
    assert.equal((await scene.claim()).length, 1);
    assert.equal(await startOf(scene, ['eve', 'eve']), 1, 'two were there, and one is gone');
  },
};
